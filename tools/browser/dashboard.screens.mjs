/**
 * Takes the pictures of docs/dashboard.md: a fleet of module instances on a Redis of its own, whose jobs run, fail and overlap, and a real
 * browser. `node tools/browser/dashboard.screens.mjs` after `npm run build`.
 */
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { chromium } from 'playwright-core';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { DistributedLock, DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { findChromium } from './chromium.finder.mjs';
import { startRedis } from '../redis/redis.runner.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/images/dashboard/', import.meta.url));
const PAGES = {
  jobs: '#/jobs',
  job: '#/jobs/invoices%3Asend',
  locks: '#/locks',
  instances: '#/instances',
  leaders: '#/leaders',
};
/** Each with its application and the time between two ticks, in minutes. */
const JOBS = [
  { job: 'accounts:close', app: 'billing', every: 60, cron: '0 0 * * * *' },
  { job: 'cache:warm', app: 'shop', every: 1, cron: '0 * * * * *' },
  { job: 'exchange-rates', app: 'billing', every: 15, cron: '0 */15 * * * *' },
  { job: 'invoices:send', app: 'shop', every: 5, cron: '0 */5 * * * *' },
  { job: 'nightly-report', app: 'shop', every: 1440, cron: '0 0 3 * * *' },
  { job: 'sessions:expire', app: 'shop', every: 10, cron: '0 */10 * * * *' },
];

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** A class with a job, as its decorators make it. @param {(typeof JOBS)[number]} job @returns {import('@nestjs/common').Type} */
function classOf({ job, cron }) {
  class Job {
    async run() {
      await sleep(20);
    }
  }
  for (const decorate of [DistributedLock(job), Cron(cron, { timeZone: 'UTC' })]) {
    const descriptor = Reflect.getOwnPropertyDescriptor(Job.prototype, 'run');
    if (descriptor === undefined) throw new Error('unreachable');
    decorate(Job.prototype, 'run', descriptor);
    Object.defineProperty(Job.prototype, 'run', descriptor);
  }
  Injectable()(Job);
  return Job;
}

/** @param {string} redis @param {string} appName */
async function start(redis, appName) {
  const dashboard = DistributedLockDashboardModule.forRoot({
    title: 'Shop',
    allow: () => true,
    imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot({ redis, appName })],
  });
  const jobs = JOBS.filter(({ app }) => app === appName).map(classOf);
  const module = { ...dashboard, providers: [...(dashboard.providers ?? []), ...jobs] };
  const app = await NestFactory.create(module, { logger: false });
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl(), locks: app.get(LockService) };
}

/** The runs of the past, before the applications start. @param {string} redis @param {string} appName */
async function workOf(redis, appName) {
  const app = await NestFactory.createApplicationContext(
    DistributedLockModule.forRoot({ redis, appName, instanceInfo: false }),
    { logger: false },
  );
  const locks = app.get(LockService);
  for (const [at, { job, app: owner, every }] of JOBS.entries()) {
    if (owner !== appName) continue;
    const period = every * 60_000;
    const newest = Math.floor(Date.now() / period) * period;
    for (let tick = 0; tick < 45; tick += 1) {
      const run = async () => {
        await sleep(2 + ((tick * 7 + at * 5) % 23));
        if ((tick * 3 + at) % 19 === 0) throw new Error('connect ECONNREFUSED printer:631');
      };
      await locks.runOnce(job, newest - (44 - tick) * period, run).catch(() => undefined);
    }
  }
  await app.close();
}

const redis = await startRedis();
for (const app of ['shop', 'billing']) await workOf(redis.url, app);
const fleet = await Promise.all(['shop', 'shop', 'billing'].map((app) => start(redis.url, app)));
const [one, other, third] = fleet;
if (one === undefined || other === undefined || third === undefined) throw new Error('there is no fleet');
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
