import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { DistributedLock } from 'nestjs-distributed-lock';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ownRedis } from '../locks/own.redis.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import { OF_PAGE, PLATFORMS, startBoard, type BoardApp, type RunningBoard } from './board.stage.js';
import { found, openBrowser, THEMES, WatchedPage, WIDTHS } from '../support/watched.page.js';

/** What a viewer sees of a change, and when at the latest, in ms. */
const SOON = scaled(1000);

const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  '\u202eesrever',
  'line\nbreak\u0007',
  `long${'n'.repeat(1000)}`,
  "'; DROP TABLE jobs; --",
];

@Injectable()
class EachSecond {
  @Cron('* * * * * *')
  @DistributedLock('each-second')
  async run(): Promise<void> {}
}

@Injectable()
class OnlyAda implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: { cookie?: string } }>();
    return headers.cookie?.includes('user=ada') ?? false;
  }
}

describe.skipIf(found === undefined)('the page of the dashboard', { timeout: scaled(60_000) }, () => {
  const server = ownRedis();
  let admin: Redis;
  let browser: Browser;
  let services: Services;
  let other: LockService;
  const running: RunningBoard[] = [];
  const pages: WatchedPage[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(false);
    admin = new Redis(server().url);
    browser = await openBrowser();
  }, scaled(120_000));
  beforeEach(async () => {
    await admin.flushall();
    services = new Services(server().url, { prefix: 'lock:' });
    other = await services.open({ appName: 'other' });
  });
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.close()));
    await services.close();
    await Promise.all(running.splice(0).map(({ app }) => app.close()));
  });
  afterAll(async () => {
    await browser?.close();
    admin.disconnect();
  });

  async function start(wanted: Omit<BoardApp, 'redis'> = {}): Promise<RunningBoard & { root: string }> {
    const dashboard = { allow: () => true, ...wanted.dashboard };
    const board = await startBoard({ redis: server().url, endsIdle: true, ...wanted, dashboard });
    running.push(board);
    return { ...board, root: `${board.origin}/locks` };
  }

  async function open(...[root, options]: [string, Parameters<typeof WatchedPage.open>[2]?]) {
    const page = await WatchedPage.open(browser, root, options);
    pages.push(page);
    return page;
  }

  /** Jobs in each state, locks of several kinds, an election. */
  async function fill(locks: LockService): Promise<void> {
    for (const job of ['report', 'paused', 'invoices'])
      await locks.ticks.jobs.register(
        job,
        'every minute [UTC]',
        instants(() => 500),
      );
    await locks.runOnce('report', 5000, () => 'run');
    await locks
      .runOnce('invoices', 5000, () => Promise.reject(new Error('the printer is on fire')))
      .catch(() => undefined);
    await locks.jobs.pause('paused');
    await locks.getLock('order:1').lock();
    await locks.getFairLock('order:2').lock();
    await locks.getReadWriteLock('shelf').readLock().lock();
    await locks.getSemaphore('printers').trySetPermits(3);
    other
      .getFairLock('order:2')
      .lock({ waitTime: '5m' })
      .catch(() => undefined);
  }

  const STATES = [
    ['#/jobs', 'report'],
    ['#/jobs/invoices', 'the printer is on fire'],
    ['#/jobs/none', 'none'],
    ['#/locks', 'order:2'],
    ['#/locks?prefix=none', 'none'],
    ['#/instances', 'Instances'],
    ['#/leaders', 'Leaders'],
  ] as const;

  for (const theme of THEMES)
    for (const width of WIDTHS)
      test(`has no violation of axe and no error, in the ${theme} theme, ${width} px wide`, async () => {
        const { root, locks } = await start({ settings: { instanceInfo: true, appName: 'shop' } });
        await fill(locks);
        locks.elect('scheduler');
        await until('it reports', async () => (await locks.fleet.instances()).length > 0, 10_000);
        for (const [hash, text] of STATES) {
          const watched = await open(root, { hash, theme, width });
          await watched.page.getByText(text).first().waitFor();
          expect(await watched.violations(), hash).toEqual([]);
          expect(await watched.isTooWide(), hash).toBe(false);
          expect(watched.problems, hash).toEqual([]);
        }
      });

  test.each(PLATFORMS)('pauses, resumes, runs and forgets a job, on %s', async (platform) => {
    const { root, locks } = await start({ platform });
    await fill(locks);
    const { page, problems } = await open(root);
    const row = page.getByRole('row', { name: /report/ });
    await row.getByRole('button', { name: /Pause/ }).click();
    await row.getByRole('button', { name: /Resume/ }).waitFor();
    expect((await locks.jobs.status('report'))?.paused).toBeTypeOf('number');
    await row.getByRole('button', { name: /Resume/ }).click();
    await row.getByRole('button', { name: /Pause/ }).waitFor();
    expect((await locks.jobs.status('report'))?.paused).toBeUndefined();
    // No instance has the job, and the answer says so.
    await row.getByRole('button', { name: /Run now/ }).click();
    await page.getByText(/No instance has started job/).waitFor();
    await row.getByRole('link', { name: 'report' }).click();
    await page
      .getByRole('button', { name: /Forget/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('repor');
    await dialog.getByRole('textbox').press('Enter');
    expect(await locks.jobs.status('report')).toBeDefined();
    await dialog.getByRole('textbox').fill('report');
    await dialog.getByRole('button', { name: /Forget/ }).click();
    await until('it is forgotten', async () => (await locks.jobs.status('report')) === undefined);
    expect(problems).toEqual([]);
  });

  test('frees a lock, with the keyboard alone', async () => {
    const { root, locks } = await start();
    const held = await other.getLock('order:1').lock();
    const { page, problems } = await open(root, { hash: '#/locks' });
    const button = page.getByRole('button', { name: /Unlock/ });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // Escape leaves everything as it is, and gives the focus back.
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement?.textContent')).toContain('Unlock');
    expect(held.isHeld).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.type('order:1');
    await page.keyboard.press('Enter');
    await until('it is free', async () => !(await locks.getLock('order:1').isLocked()));
    await page.getByText(/was released/).waitFor();
    expect(problems).toEqual([]);
  });

  test('frees no lock that has another holder than the dialog shows', async () => {
    const { root } = await start();
    const held = await other.getLock('order:1').lock();
    const { page, problems } = await open(root, { hash: '#/locks' });
    await page.getByRole('button', { name: /Unlock/ }).click();
    await page.getByRole('dialog').waitFor();
    await held.unlock();
    const next = await other.getLock('order:1').lock();
    await page.keyboard.type('order:1');
    await page.keyboard.press('Enter');
    await page.getByText(/another holder by now/).waitFor();
    expect(await next.unlock()).toBe('released');
    expect(problems).toEqual([]);
  });

  test('pauses a job once at a double-click, although the button offers to resume it then', async () => {
    const { root, locks } = await start();
    await fill(locks);
    const { page, problems } = await open(root);
    const row = page.getByRole('row', { name: /report/ });
    await row.getByRole('button', { name: /Pause/ }).dblclick({ delay: 200 });
    await row.getByText(/paused .+ by /).waitFor();
    await row.getByRole('button', { name: /Resume/ }).waitFor();
    expect((await locks.jobs.status('report'))?.paused).toBeGreaterThan(0);
    await row.getByRole('button', { name: /Resume/ }).click();
    await row.getByRole('button', { name: /Pause/ }).waitFor();
    expect((await locks.jobs.status('report'))?.paused).toBeUndefined();
    expect(problems).toEqual([]);
  });

  test('counts all jobs of an instance, also those that its list leaves out', async () => {
    const { root, locks } = await start({ settings: { instanceInfo: true } });
    for (let at = 0; at < 60; at += 1) {
      const own = { register: () => Promise.resolve(), isOn: () => at < 55 };
      locks.ticks.jobs.follow(`job ${at + 10}`, { ...Object.create(null), ...own });
    }
    const { page, problems } = await open(root, { hash: '#/instances' });
    await page.getByText('55 on, 5 off').click({ timeout: scaled(20_000) });
    await page.getByText('and 10 more').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a change of the fleet within a second', async () => {
    const { root, locks } = await start();
    await fill(locks);
    const [jobs, held] = [await open(root), await open(root, { hash: '#/locks' })];
    await jobs.page.getByText('report').first().waitFor();
    await held.page.getByText('order:2').first().waitFor();
    const began = performance.now();
    await other.jobs.pause('report');
    await jobs.page
      .getByRole('row', { name: /report/ })
      .getByText(/paused .+ by /)
      .waitFor();
    expect(performance.now() - began).toBeLessThan(SOON);
    const again = performance.now();
    const handle = await other.getLock('brand-new').lock();
    await held.page.getByText('brand-new').first().waitFor();
    expect(performance.now() - again).toBeLessThan(SOON);
    await handle.unlock();
    await held.page.getByText('brand-new').first().waitFor({ state: 'detached' });
    expect([...jobs.problems, ...held.problems]).toEqual([]);
  });

  test('has no buttons where it is read-only', async () => {
    const { root, locks } = await start({ dashboard: { readOnly: true } });
    await fill(locks);
    const { page } = await open(root);
    await page.getByText('report').first().waitFor();
    await page.getByText('read only').waitFor();
    expect(await page.getByRole('button', { name: /Pause|Resume|Run now/ }).count()).toBe(0);
    await page.goto(`${root}#/jobs/report`);
    await page.getByRole('heading', { name: 'report' }).waitFor();
    expect(await page.getByRole('button', { name: /Pause|Run now|Forget/ }).count()).toBe(0);
  });

  test('shows an action that is not allowed', async () => {
    const { root, locks } = await start({ dashboard: { allow: () => false } });
    await fill(locks);
    const { page } = await open(root);
    await page
      .getByRole('row', { name: /report/ })
      .getByRole('button', { name: /Pause/ })
      .click();
    await page.getByText('The action pause is not allowed for this user.').waitFor();
    expect((await locks.jobs.status('report'))?.paused).toBeUndefined();
  });

  test.each(PLATFORMS)('is behind the guards of the application, on %s', async (platform) => {
    const { root } = await start({ platform, dashboard: { guards: [OnlyAda] } });
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      expect((await page.goto(root))?.status()).toBe(403);
      await context.addCookies([{ name: 'user', value: 'ada', url: root }]);
      expect((await page.goto(root))?.status()).toBe(200);
      await page.getByRole('heading', { name: 'Jobs' }).waitFor();
      // The session ends while the page is open.
      await context.clearCookies();
      await page.goto(`${root}#/locks`);
      await page.getByText(/session may have ended/).waitFor();
    } finally {
      await context.close();
    }
  });

  test('cannot be acted on by a page of another origin, although enableCors() lets it ask', async () => {
    const { root, locks } = await start({ isOpenToOrigins: true });
    await fill(locks);
    const elsewhere = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<p>'),
    );
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
    const { page } = await open(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
    const request = {
      method: 'POST',
      headers: OF_PAGE,
      credentials: 'include',
      body: JSON.stringify({ action: 'pause', job: 'report' }),
    };
    const status = (url: string) =>
      page.evaluate<number>(
        `fetch(${JSON.stringify(url)}, ${JSON.stringify(request)}).then(({ status }) => status)`,
      );
    // The browser has sent it: it reads the answer.
    expect(await status(`${root}/api/actions`)).toBe(403);
    expect((await locks.jobs.status('report'))?.paused).toBeUndefined();
    // The same request by a page of the application is accepted.
    await page.goto(root);
    expect(await status(`${root}/api/actions`)).toBe(200);
    expect((await locks.jobs.status('report'))?.paused).toBeTypeOf('number');
    elsewhere.close();
  });

  test('shows the number of ticks that a record stands for, and more than fifty records', async () => {
    const { root, locks } = await start();
    await locks.runOnce('counted', 1, async () => {
      for (let tick = 2; tick <= 13; tick += 1) await other.runOnce('counted', tick, () => undefined);
    });
    const short = await open(root, { hash: '#/jobs/counted' });
    await short.page.getByRole('cell', { name: /overlapped\s*12 ticks/ }).waitFor();
    expect(await short.page.getByText('Show up to 1000 records').count()).toBe(0);
    await admin.hset('{lock:counted}:tick', 'history', 200);
    for (let tick = 20; tick < 120; tick += 1) await locks.runOnce('counted', tick, () => undefined);
    const more = short.page.getByRole('link', { name: 'Show up to 1000 records' });
    await more.waitFor();
    const rows = short.page.locator('table.records tbody tr');
    expect(await rows.count()).toBe(50);
    await more.click();
    await until('all of them are shown', async () => (await rows.count()) === 102, 10_000);
    expect(short.page.url()).toContain('#/jobs/counted?records=1000');
    expect(await more.count()).toBe(0);
    expect(await short.isTooWide()).toBe(false);
    expect(await short.violations()).toEqual([]);
    expect(short.problems).toEqual([]);
  });

  test.each(WIDTHS)('shows hostile names as text, %i px wide', async (width) => {
    const { root, locks } = await start();
    const handles = [];
    for (const name of HOSTILE) {
      await locks.runOnce(name, 1, () => undefined);
      handles.push(await locks.getLock(`held ${name.slice(0, 900)}`).lock());
    }
    for (const hash of ['#/jobs', '#/locks', `#/jobs/${encodeURIComponent(HOSTILE[0] ?? '')}`]) {
      const watched = await open(root, { hash, width });
      await watched.page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await watched.page.locator('img[src="x"]').count(), hash).toBe(0);
      expect(await watched.isTooWide(), hash).toBe(false);
      expect(await watched.violations(), hash).toEqual([]);
      expect(watched.problems, hash).toEqual([]);
    }
    await Promise.all(handles.map((handle) => handle.unlock()));
  });

  test('says since when Redis is away, keeps the figures, and goes on when it is back', async () => {
    const { root, locks } = await start({ settings: { commandTimeout: '1s' } });
    await fill(locks);
    const { page, problems } = await open(root);
    await page.getByText('report').first().waitFor();
    server().pause();
    try {
      await page.getByText(/Redis is away since/).waitFor({ timeout: scaled(20_000) });
      expect(await page.getByText('report').first().isVisible()).toBe(true);
    } finally {
      server().resume();
    }
    await page.getByText(/Redis is away since/).waitFor({ state: 'detached', timeout: scaled(20_000) });
    await page.getByText('live', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('finds its application again after a restart', async () => {
    const first = await start({ settings: { appName: 'shop' } });
    await fill(first.locks);
    const { page } = await open(first.root);
    await page.getByText('report').first().waitFor();
    await first.app.close();
    await page.getByText(/connection to the application is lost/).waitFor({ timeout: scaled(20_000) });
    const port = Number(new URL(first.origin).port);
    const second = await start({ port });
    await page.getByText('live', { exact: true }).waitFor({ timeout: scaled(20_000) });
    await second.locks.jobs.pause('report');
    const paused = page.getByRole('row', { name: /report/ }).getByText(/paused .+ by /);
    await paused.waitFor();
    expect(await paused.isVisible()).toBe(true);
  });

  test('a paused cron job is found, resumed, and its next tick is seen to run', async () => {
    const { root, locks } = await start({
      imports: [ScheduleModule.forRoot()],
      providers: [EachSecond],
      settings: { instanceInfo: true },
    });
    await until('it has run', async () => (await locks.getRuns('each-second')).length > 0, 10_000);
    await locks.jobs.pause('each-second');
    const { page, problems } = await open(root);
    await page.getByRole('button', { name: /^paused/i }).click();
    const row = page.getByRole('row', { name: /each-second/ });
    await row.getByRole('cell', { name: 'paused', exact: true }).waitFor();
    await row.getByRole('img', { name: /paused now$/ }).waitFor();
    const { mark: before = 0 } = (await locks.jobs.status('each-second')) ?? {};
    const passed = async () => ((await locks.jobs.status('each-second'))?.mark ?? 0) >= before + 2000;
    await until('ticks have passed', passed, 10_000);
    await page
      .getByRole('row', { name: /each-second/ })
      .getByRole('link', { name: 'each-second' })
      .click();
    await page.getByRole('button', { name: /Resume/ }).click();
    const mark = (await locks.getRuns('each-second')).length;
    await until('it runs again', async () => (await locks.getRuns('each-second')).length > mark + 1, 10_000);
    await page.getByRole('button', { name: /Pause/ }).waitFor();
    const pause = page.getByRole('row', { name: /all after/ });
    await pause.getByRole('cell', { name: /paused\s*\d+ ticks/ }).waitFor();
    await pause.getByRole('cell', { name: /resumed by/ }).waitFor();
    await page
      .getByRole('cell', { name: /completed/ })
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  });
});
