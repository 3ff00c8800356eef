/**
 * Takes the pictures of docs/dashboard.md: a fleet of module instances on a Redis of its own, whose jobs run, fail and overlap, and a real
 * browser. `node tools/docs/dashboard.screens.mjs` after `npm run build`.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { chromium } from 'playwright-core';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { findChromium } from '../browser/chromium.finder.mjs';
import { startRedis } from '../redis/redis.runner.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/images/dashboard/', import.meta.url));
const PAGES = {
  jobs: '#/jobs',
  job: '#/jobs/invoices%3Asend',
  locks: '#/locks',
  instances: '#/instances',
  leaders: '#/leaders',
};
const JOBS = [
  'accounts:close',
  'cache:warm',
  'exchange-rates',
  'invoices:send',
  'nightly-report',
  'sessions:expire',
];

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @param {string} redis @param {string} appName */
async function start(redis, appName) {
  const module = DistributedLockDashboardModule.forRoot({
    title: 'Shop',
    allow: () => true,
    imports: [DistributedLockModule.forRoot({ redis, appName })],
  });
  const app = await NestFactory.create(module, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl(), locks: app.get(LockService) };
}

/** Runs the jobs of a morning. @param {LockService} locks */
async function work(locks) {
  const first = Date.now() - 45 * 60_000;
  for (let tick = 0; tick < 45; tick += 1) {
    for (const [at, job] of JOBS.entries()) {
      const run = async () => {
        await sleep(2 + ((tick * 7 + at * 5) % 23));
        if ((tick * 3 + at) % 19 === 0) throw new Error('connect ECONNREFUSED printer:631');
      };
      await locks.runOnce(job, first + tick * 60_000, run).catch(() => undefined);
    }
  }
}

const redis = await startRedis();
const fleet = await Promise.all(['shop', 'shop', 'billing'].map((app) => start(redis.url, app)));
const [one, other, third] = fleet;
if (one === undefined || other === undefined || third === undefined) throw new Error('there is no fleet');
await work(one.locks);
await one.locks.jobs.pause('nightly-report');
one.locks.elect('scheduler');
other.locks.elect('scheduler');
third.locks.elect('mail-relay');
const held = await one.locks.getLock('order:4711').lock();
await one.locks.getFairLock('stock:7').lock();
await third.locks.getReadWriteLock('price-list').readLock().lock();
await third.locks.getFencedLock('ledger').lock();
await one.locks.getSemaphore('printers').trySetPermits(3);
for (const name of ['order:4711', 'order:4711'])
  other.locks
    .getLock(name)
    .lock({ waitTime: '5m' })
    .catch(() => undefined);
other.locks
  .getFairLock('stock:7')
  .lock({ waitTime: '5m' })
  .catch(() => undefined);
// The first reports come after two seconds, and these ones once more when leaders are elected.
await sleep(12_000);

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const { path, env } = await findChromium();
const browser = await chromium.launch({
  executablePath: path,
  env: { ...process.env, ...env },
  args: ['--no-sandbox'],
});
for (const colorScheme of /** @type {const} */ (['light', 'dark']))
  for (const width of [1280, 390]) {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    for (const [name, hash] of Object.entries(PAGES)) {
      await page.goto('about:blank');
      await page.goto(`${one.url}/locks${hash}`);
      await page.getByText('live', { exact: true }).waitFor();
      await sleep(1500);
      await page.screenshot({ path: `${FOLDER}${name}-${colorScheme}-${width}.png` });
    }
    await context.close();
  }
await browser.close();
await held.unlock();
await Promise.all(fleet.map(({ app }) => app.close()));
await redis.stop();
