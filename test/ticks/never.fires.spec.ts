import type { INestApplicationContext } from '@nestjs/common';
import { Cron, type CronOptions } from '@nestjs/schedule';
import { CronTime } from 'cron';
import { DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, registryOf, type FireFixtures, type FireStage } from './fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

const NAME = 'the cron job';

/** 30 February. */
const IMPOSSIBLE = '0 0 30 2 *';

function jobAt(stage: FireStage, expression: string, options: CronOptions = { timeZone: 'Europe/Berlin' }) {
  class Job {
    @Cron(expression, { name: NAME, ...options })
    @DistributedLock(stage.job)
    async run(): Promise<void> {
      stage.note();
    }
  }
  return Job;
}

/** A job beside it, which runs every second. */
function otherJob(stage: FireStage) {
  const runs = { count: 0 };
  class Other {
    @Cron('* * * * * *')
    @DistributedLock(`${stage.job} beside`)
    async run(): Promise<void> {
      runs.count += 1;
    }
  }
  return { Other, runs };
}

/** What is logged of the schedule of the job. */
const linesOf = (stage: FireStage) => stage.warnings('never runs by its schedule');

/** Undefined while Redis does not answer in time, on a busy machine. */
async function statusOf(stage: FireStage, app: INestApplicationContext | undefined) {
  if (app === undefined) return undefined;
  return await locksOf(app)
    .jobs.status(stage.job)
    .catch(() => undefined);
}

const warningOf = (stage: FireStage, schedule: string) =>
  `Job "${stage.job}" never runs by its schedule ${schedule}: cron finds no date for it in the next eight years. Check its days and months. locks.jobs.runNow() still runs the job.`;

describe.concurrent('a cron expression that never fires', { timeout: scaled(20_000) }, () => {
  test.for([
    ['30 February', IMPOSSIBLE, { timeZone: 'Europe/Berlin' }, `${IMPOSSIBLE} [Europe/Berlin]`],
    ['the 31st of short months', '0 0 31 4,6,9,11 *', { utcOffset: 90 }, '0 0 31 4,6,9,11 * [UTC+01:30]'],
  ] as const)(
    'is logged with its zone, and the application starts and runs its other jobs: %s',
    async ([, expression, options, schedule], { stage }) => {
      const { Other, runs } = otherJob(stage);
      const [app] = await stage.start(1, [jobAt(stage, expression, options), Other]);
      expect(linesOf(stage)).toEqual([warningOf(stage, schedule)]);
      await until('the other job runs', () => runs.count > 0, 10_000);
      await until('it is registered', async () => (await statusOf(stage, app)) !== undefined, 10_000);
      expect(await statusOf(stage, app)).toMatchObject({
        schedule,
        mark: expect.any(Number),
        next: undefined,
      });
      expect(stage.runs).toEqual([]);
    },
  );

  test('can be run by hand, on one instance', async ({ stage }) => {
    const [app] = await stage.start(2, [jobAt(stage, IMPOSSIBLE)]);
    if (app === undefined) throw new Error('unreachable');
    expect(await locksOf(app).jobs.runNow(stage.job)).toBe(true);
    await until('it has run', () => stage.runs.length > 0, 10_000);
    const isEnded = async () => (await statusOf(stage, app))?.lastRun?.outcome === 'completed';
    await until('its end', isEnded, 10_000);
    expect(stage.runs).toHaveLength(1);
  });

  test('is logged when its initial delay is over, and ends no process', async ({ stage }) => {
    const { Other, runs } = otherJob(stage);
    const options = { timeZone: 'UTC', initialDelay: 100 };
    await stage.start(1, [jobAt(stage, IMPOSSIBLE, options), Other]);
    await until('it is logged', () => linesOf(stage).length > 0, 10_000);
    expect(linesOf(stage)).toEqual([warningOf(stage, `${IMPOSSIBLE} [UTC]`)]);
    const before = runs.count;
    await until('the other job runs', () => runs.count > before, 10_000);
  });

  test('is logged when the job is started by hand, and by setTime(), which can give it another one', async ({
    stage,
  }) => {
    const options = { timeZone: 'UTC', disabled: true };
    const [app] = await stage.start(1, [jobAt(stage, IMPOSSIBLE, options)]);
    if (app === undefined) throw new Error('unreachable');
    expect(linesOf(stage)).toEqual([]);
    const job = registryOf(app).getCronJob(NAME);
    expect(job.isActive).toBe(false);
    job.start();
    expect(job.isActive).toBe(true);
    expect(linesOf(stage)).toEqual([warningOf(stage, `${IMPOSSIBLE} [UTC]`)]);
    job.setTime(new CronTime('* * * * * *', 'UTC'));
    await until('it runs', () => stage.runs.length > 0, 10_000);
    const ended = stage.runs.length;
    job.setTime(new CronTime('0 0 30,31 2 *', 'UTC'));
    expect(stage.runs.length).toBeLessThanOrEqual(ended + 1);
    expect(job.isActive).toBe(true);
    await job.stop();
    expect(job.isActive).toBe(false);
  });

  test.for([
    ['29 February', '0 0 29 2 *'],
    ['the 31st, or a Monday', '0 0 31 2 1'],
  ])('is not one with %s', async ([, expression = ''], { stage }) => {
    const [app] = await stage.start(1, [jobAt(stage, expression)]);
    const next = async () => (await statusOf(stage, app))?.next;
    await until('it is registered', async () => (await next()) !== undefined, 10_000);
    await until('a date to come', async () => ((await next()) ?? 0) > Date.now(), 10_000);
    expect(linesOf(stage)).toEqual([]);
  });
});
