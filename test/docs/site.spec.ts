import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findBrokenAddresses } from '../../tools/docs/site/address.checker.mjs';
import { PAGES } from '../../tools/docs/site/page.map.mjs';
import { scaled } from '../support/slowness.js';
import { found, openBrowser, THEMES, WatchedPage, WIDTHS } from '../support/watched.page.js';
import { lacking } from './docs.tools.js';
import { listPages } from './page.list.js';
import { until } from '../support/until.js';

const SITE = 'dist/site';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
};

/** A page of each kind: with tables, code, headings of options, diagrams, figures. */
const SAMPLE = PAGES.filter(({ path }) =>
  /^(?:README|docs\/(?:options|troubleshooting|how-it-works|comparison|benchmarks\/README))\.md$/.test(path),
);

test('every page of docs/ and ops/ is on the site', () => {
  const own = new Set(PAGES.map(({ path }) => path));
  const pages = listPages().filter(({ path }) => /^(?:docs|ops)\//.test(path) && path !== 'docs/README.md');
  expect(pages.filter(({ path }) => !own.has(path)).map(({ path }) => path)).toEqual([]);
});

describe.skipIf(lacking !== undefined)('the site', { timeout: scaled(60_000) }, () => {
  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/docs/site/build-site.mjs'], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${stdout}\n${stderr}`);
  }, scaled(300_000));

  test('has every page, also as Markdown, and a list of them for programs', () => {
    const files = PAGES.flatMap(({ address }) => [`${address}.html`, `${address}.md`]);
    expect(files.filter((file) => !existsSync(join(SITE, file)))).toEqual([]);
    const list = readFileSync(join(SITE, 'llms.txt'), 'utf8');
    expect(PAGES.filter(({ address }) => !list.includes(`(${address}.md)`))).toEqual([]);
    expect(existsSync(join(SITE, 'api/index.html'))).toBe(true);
  });

  test('has no link to a page or a heading that is not there', async () => {
    expect(await findBrokenAddresses(SITE)).toEqual([]);
  });

  describe.skipIf(found === undefined)('in a browser', () => {
    let server: Server;
    let root: string;
    let browser: Browser;
    const opened: WatchedPage[] = [];

    async function open(address: string, options?: Parameters<typeof WatchedPage.open>[2]) {
      const page = await WatchedPage.open(browser, `${root}${address}`, options);
      opened.push(page);
      return page;
    }

    beforeAll(async () => {
      server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost');
        const path = normalize(decodeURIComponent(pathname));
        const file = join(SITE, path.endsWith('/') ? `${path}index.html` : path);
        if (!existsSync(file)) return response.writeHead(404).end();
        response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
        return response.end(readFileSync(file));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      root = `http://127.0.0.1:${port}`;
      browser = await openBrowser();
    }, scaled(120_000));
    afterEach(async () => {
      for (const page of opened.splice(0)) {
        await page.close();
        if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
      }
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
    });

    test.for([
      ['job runs twice', '/operate/troubleshooting.html'],
      ['which scheduler', '/start/which-scheduler.html'],
      ['KIND_CONFLICT', '/operate/troubleshooting.html'],
    ] as const)('a search for "%s" finds %s first', async ([words, address]) => {
      const { page } = await open('/');
      // The page listens to keys once its script runs.
      await until(
        'the search opens',
        async () => {
          await page.keyboard.press('Control+k');
          return await page.locator('.VPLocalSearchBox input').isVisible();
        },
        10_000,
      );
      await page.fill('.VPLocalSearchBox input', words);
      const first = page.locator('.VPLocalSearchBox .result').first();
      await first.waitFor();
      expect(await first.getAttribute('href')).toContain(address);
    });

    test.for(THEMES.flatMap((theme) => WIDTHS.map((width) => ({ theme, width }))))(
      'fits a window of $width px, $theme',
      async ({ theme, width }) => {
        const watched = await open('/', { theme, width });
        const wide: string[] = [];
        for (const { address } of theme === 'light' && width === 390 ? PAGES : SAMPLE) {
          await watched.page.goto(`${root}/${address}.html`, { waitUntil: 'domcontentloaded' });
          await watched.page.locator('#app h1').first().waitFor();
          if (await watched.isTooWide()) wide.push(address);
        }
        expect(wide).toEqual([]);
      },
    );

    test('draws the diagrams of a page', async () => {
      const { page } = await open('/start/how-it-works.html');
      const drawn = page.locator('.diagram svg');
      await drawn.nth(3).waitFor({ state: 'attached' });
      // What is left of a diagram that could not be drawn is its text.
      await expect.poll(() => page.locator('pre.diagram').count(), { timeout: scaled(10_000) }).toBe(0);
    });
  });
});
