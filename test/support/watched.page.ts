import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findChromium } from '../../tools/browser/chromium.finder.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';
import { scaled } from './slowness.js';

export const THEMES = ['light', 'dark'] as const;
export const WIDTHS = [1280, 390] as const;

/** Undefined where there is none on this machine, and none can be had. */
export const found = await findChromium().catch((error: unknown) => {
  if (error instanceof Unavailable) return undefined;
  throw error;
});

/** A real browser. */
export async function openBrowser(): Promise<Browser> {
  const { path, env } = found ?? { path: '', env: {} };
  return await chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    // Tests may run as root, in a container without much shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: scaled(60_000),
  });
}

/** A page, and what must not happen on it. */
export class WatchedPage {
  /** Errors of the page, and requests to other hosts. */
  readonly problems: string[] = [];

  private constructor(readonly page: Page) {}

  /** Opens an address; `hash` is a place on it, such as `#/locks`. */
  static async open(
    browser: Browser,
    root: string,
    { hash = '', width = 1280, theme = 'light' as 'light' | 'dark' } = {},
  ): Promise<WatchedPage> {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: theme,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(scaled(10_000));
    const page = await context.newPage();
    const watched = new WatchedPage(page);
    const { origin } = new URL(root);
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') watched.problems.push(message.text());
    });
    page.on('pageerror', (error) => watched.problems.push(String(error)));
    page.on('dialog', (dialog) => {
      watched.problems.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) watched.problems.push(`a request to ${request.url()}`);
    });
    await page.goto(`${root}${hash}`);
    return watched;
  }

  /** What axe finds on the page: rule and place of each. */
  async violations(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const results = await this.page.evaluate<{
      violations: { id: string; nodes: { html: string }[] }[];
    }>('axe.run()');
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
    );
  }

  /** Whether the page is wider than its window. */
  async isTooWide(): Promise<boolean> {
    return await this.page.evaluate<boolean>(
      'document.documentElement.scrollWidth > document.documentElement.clientWidth + 1',
    );
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
