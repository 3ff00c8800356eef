import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  DashboardJob,
  JobEvent,
  JobsEvent,
} from '../../libs/distributed-lock/src/dashboard-feeds/dashboard.model.js';
import { expireReports, killAll, reportsAndRuns } from '../fleet/dead.fleet.js';
import { EACH_SECOND, JobApps, jobOf, sharedJobOf, YEARLY } from '../fleet/job.apps.js';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { TickFleet } from '../ticks/tick.fleet.js';
import { act, EventReader, startBoard, type BoardApp, type RunningBoard } from './board.stage.js';
import { found, openBrowser, WatchedPage } from '../support/watched.page.js';

const PREFIX = 'lock:';
const HERE = `${hostname()}:${process.pid}`;

const server = ownRedis();
let admin: Redis;
let browser: Browser | undefined;
let apps: JobApps;
const running: RunningBoard[] = [];
const readers: EventReader[] = [];
const pages: WatchedPage[] = [];

beforeAll(async () => {
  Logger.overrideLogger(false);
  admin = new Redis(server().url);
  browser = found === undefined ? undefined : await openBrowser();
}, scaled(120_000));
beforeEach(async () => {
  await admin.flushall();
  apps = new JobApps(server().url, PREFIX);
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await Promise.all(pages.splice(0).map((page) => page.close()));
  await apps.close();
  await Promise.all(running.splice(0).map(({ app }) => app.close()));
});
afterAll(async () => {
  await browser?.close();
  admin.disconnect();
});

/** A board in an application of its own, which has no jobs. */
async function start(settings: BoardApp['settings'] = {}): Promise<RunningBoard & { root: string }> {
  const board = await startBoard({
    redis: server().url,
    endsIdle: true,
    settings: { appName: 'board', namePrefix: PREFIX, ...settings },
    dashboard: { allow: () => true },
  });
  running.push(board);
  return { ...board, root: `${board.origin}/locks` };
}

/** The jobs of the board, by name, as a page that opens now gets them. */
async function jobsOf(root: string): Promise<ReadonlyMap<string, DashboardJob>> {
  const reader = await EventReader.open(`${root}/api/events?topic=jobs`);
  try {
    const { jobs } = await reader.next<JobsEvent>('jobs', ({ isWhole }) => isWhole);
    return new Map(jobs.map((job) => [job.name, job]));
  } finally {
    reader.close();
  }
}

async function jobOn(root: string, name: string): Promise<DashboardJob> {
  const job = (await jobsOf(root)).get(name);
  if (job === undefined) throw new Error(`the board has no job ${name}`);
  return job;
}

/** Reads the row of a job on the page, where there is a browser. */
async function expectRow(
  root: string,
  name: string,
  {
    has = [],
    lacks = [],
  }: { readonly has?: readonly (string | RegExp)[]; readonly lacks?: readonly string[] },
): Promise<void> {
  if (browser === undefined) return;
  const watched = await WatchedPage.open(browser, root);
  pages.push(watched);
  const link = watched.page.getByRole('link', { name, exact: true });
  const text = await watched.page.getByRole('row').filter({ has: link }).innerText();
  for (const part of has) expect(text).toMatch(part);
  for (const part of lacks) expect(text).not.toContain(part);
  expect(watched.problems).toEqual([]);
}

describe('the dashboard', { timeout: scaled(90_000) }, () => {
  test('keeps the old name of a renamed job, which no instance has, until it is forgotten', async () => {
    await apps.startRenamed('shop', 'report', 'daily-report');
    const { root, locks } = await start();
    const [old, renamed] = [await jobOn(root, 'report'), await jobOn(root, 'daily-report')];
    expect(old).toMatchObject({
      ...{ app: 'shop', apps: ['shop'], instances: [], isFleetKnown: true },
      lastRun: { outcome: 'completed', app: 'shop' },
    });
    expect(old.strip.length).toBeGreaterThan(0);
    expect(renamed).toMatchObject({ apps: ['shop'], instances: [HERE], isFleetKnown: true, strip: [] });
    expect(renamed.lastRun).toBeUndefined();
    await expectRow(root, 'report', { has: ['no instance has it', 'completed'] });
    await expectRow(root, 'daily-report', { lacks: ['no instance'] });
    expect(await act(root, { action: 'forget', job: 'report' })).toMatchObject({ answer: { isDone: true } });
    // The open page shares its reading with one that opens now.
    await until('the page shows it', async () => !(await jobsOf(root)).has('report'));
    expect([...(await jobsOf(root)).keys()]).toEqual(['daily-report']);
    expect((await locks.jobs.list()).map(({ job }) => job)).toEqual(['daily-report']);
  });

  test('has one job where instances, and methods, share it', async () => {
    const one = await apps.start('shop', sharedJobOf('rounds', EACH_SECOND));
    await apps.start('shop', sharedJobOf('rounds', EACH_SECOND));
    await until('it runs', async () => (await one.locks.getRuns('rounds')).length > 2, 10_000);
    const { root } = await start();
    const job = await jobOn(root, 'rounds');
    expect(job).toMatchObject({ schedule: 'shared', apps: ['shop'], instances: [HERE, HERE] });
    const ticks = job.strip.map(({ tick }) => tick);
    expect(new Set(ticks).size).toBe(ticks.length);
    await expectRow(root, 'rounds', { lacks: ['applications'] });
  });

  test('names each of several applications with a job of one name', async () => {
    await apps.start('shop', jobOf('report', YEARLY));
    const desk = await apps.start('desk', jobOf('report', YEARLY));
    const { root } = await start();
    expect(await jobOn(root, 'report')).toMatchObject({
      app: 'desk',
      apps: ['desk', 'shop'],
      instances: [`desk on ${HERE}`, `shop on ${HERE}`],
    });
    await expectRow(root, 'report', { has: [/desk\s+shop/, 'of 2 applications'] });
    await apps.stop(desk);
    // The application that registered it last does not have it any more.
    await until('desk is gone', async () => (await jobOn(root, 'report')).apps.length === 1, 10_000);
    expect(await jobOn(root, 'report')).toMatchObject({ app: 'desk', apps: ['shop'], instances: [HERE] });
  });

  describe.each([
    ['an application that reports itself', true, 'no instance has it'],
    ['an application that does not report itself', false, 'no instance reports'],
  ])('of %s', (_, instanceInfo, badge) => {
    test(`says "${badge}" of the jobs of a fleet that was killed`, async () => {
      const fleet = new TickFleet(server().url);
      try {
        const { root, locks } = await start({ namePrefix: fleet.prefix, instanceInfo });
        await fleet.start({}, {});
        await reportsAndRuns(fleet, locks);
        if (instanceInfo)
          await until('the board reports', async () => (await locks.fleet.instances()).length === 3, 10_000);
        expect((await jobOn(root, 'counted')).instances).toHaveLength(2);
        await killAll(fleet);
        const dead = await jobOn(root, 'counted');
        const { at } = await nextJob(root);
        // Until the reports expire, the instances count as alive; that the tick is late shows at once.
        expect(dead.instances).toHaveLength(2);
        expect(dead.lastRun).toMatchObject({ app: 'ticks', start: expect.any(Number) });
        await fleet.reach(at + 12_000);
        const late = await nextJob(root);
        expect(late.at - (late.job?.next ?? Infinity)).toBeGreaterThan(10_000);
        expect(late.job?.instances).toHaveLength(2);
        await expectRow(root, 'counted', { has: ['overdue'], lacks: ['no instance'] });
        await expireReports(fleet, locks);
        // Pages share a reading of the instances for a second.
        await until('no instance has it', async () => (await jobOn(root, 'counted')).instances.length === 0);
        const gone = await jobOn(root, 'counted');
        expect(gone).toMatchObject({ instances: [], apps: ['ticks'], isFleetKnown: instanceInfo });
        expect(gone.lastRun).toEqual(late.job?.lastRun);
        await expectRow(root, 'counted', { has: ['overdue', badge] });
      } finally {
        await fleet.end();
      }
    });
  });
});

async function nextJob(root: string): Promise<JobEvent> {
  const reader = await EventReader.open(`${root}/api/events?topic=job&name=counted`);
  try {
    return await reader.next<JobEvent>('job');
  } finally {
    reader.close();
  }
}
