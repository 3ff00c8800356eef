import { Interval } from '@nestjs/schedule';
import { DistributedLock } from 'nestjs-distributed-lock';
import { Redis } from 'ioredis';
import { describe, expect, inject, test as base } from 'vitest';
import type { TickOptions } from '../../libs/distributed-lock/src/contracts/guard.contract.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { OlderInstance } from './older.instance.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** The period of the jobs, in ms. */
const PERIOD = 20;

/** A job that has many records soon. */
function jobOf(stage: FireStage, options: TickOptions) {
  class Job {
    @Interval(PERIOD)
    @DistributedLock(stage.job, options)
    async run(): Promise<void> {
      stage.note();
    }
  }
  return Job;
}

describe('history', { timeout: scaled(60_000) }, () => {
  test.for([
    ['skip', 'skip'],
    ['skip', 'queue'],
    ['retry', 'skip'],
    ['retry', 'queue'],
  ] as const)(
    'keeps as many records, with onCrash %s and overlap %s',
    async ([onCrash, overlap], { stage }) => {
      const [app] = await stage.start(1, [jobOf(stage, { history: 60, onCrash, overlap })]);
      if (app === undefined) throw new Error('unreachable');
      const locks = locksOf(app);
      const completed = async () => (await locks.jobs.status(stage.job))?.counts.completed ?? 0;
      await until('it has run seventy times', async () => (await completed()) > 70, 20_000);
      const runs = await locks.getRuns(stage.job);
      // The current run is beside them.
      const kept = runs.filter(({ outcome }) => outcome !== 'running');
      expect(kept).toHaveLength(60);
      expect(await locks.getRuns(stage.job, { limit: 5 })).toHaveLength(5);
      // In the order in which they were written: a tick that met a run stands before the record of that run.
      const written = kept.map(({ start, end }) => end ?? start);
      expect(written).toEqual(written.toSorted((a, b) => b - a));
    },
  );

  test('is fifty records without the option, also for a job that had more', async ({ stage }) => {
    const [first] = await stage.start(1, [jobOf(stage, { history: 80 })]);
    if (first === undefined) throw new Error('unreachable');
    const locks = locksOf(first);
    await until('it has sixty', async () => (await locks.getRuns(stage.job)).length > 60, 20_000);
    await first.close();
    const [second] = await stage.start(1, [jobOf(stage, {})]);
    if (second === undefined) throw new Error('unreachable');
    const admin = new Redis(inject('redisUrl'));
    try {
      const key = `{${stage.prefix}${stage.job}}:runs`;
      await until('some are deleted', async () => (await admin.llen(key)) < 60, 20_000);
      expect(await admin.llen(key)).toBe(50);
    } finally {
      admin.disconnect();
    }
  });

  test('is cut to fifty records by an instance with a version that does not know the option', async ({
    stage,
  }) => {
    const [app] = await stage.start(1, [jobOf(stage, { history: 80 })]);
    if (app === undefined) throw new Error('unreachable');
    const locks = locksOf(app);
    await until('it has sixty', async () => (await locks.getRuns(stage.job)).length > 60, 20_000);
    await app.close();
    const admin = new Redis(inject('redisUrl'));
    try {
      const older = await OlderInstance.start(admin, `${stage.prefix}${stage.job}`);
      const [seconds] = await admin.time();
      const tick = Number(seconds) * 1000;
      await until(
        'it is granted a tick',
        async () => (await older.claim(tick + 1000)) === 1 || (await older.claim(tick + 2000)) === 1,
        5000,
      );
      expect(await admin.llen(`{${stage.prefix}${stage.job}}:runs`)).toBe(50);
    } finally {
      admin.disconnect();
    }
  });

  test.each([49, 10_001, 50.5, '100', Infinity])('cannot be %j', (history) => {
    expect(() => {
      class Job {
        @DistributedLock('job', { history: history as number })
        async run(): Promise<void> {}
      }
      return Job;
    }).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('history of Job.run must be a whole number from 50 to 10000'),
      }),
    );
  });
});
