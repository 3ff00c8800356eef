import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cron, Interval } from '@nestjs/schedule';
import type { INestApplicationContext, Provider } from '@nestjs/common';
import { Redis } from 'ioredis';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, inject, test as base, vi } from 'vitest';
import { jobKeys } from '../../libs/distributed-lock/src/job-control/job.keys.js';
import { JobScripts } from '../../libs/distributed-lock/src/job-control/job.scripts.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from './bare.instants.js';
import { around } from './disguises.js';
import { fireFixtures, locksOf, registryOf, type FireFixtures, type FireStage } from './fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** What stands between the grant of a run and its guarded method: holds the call up until it is opened. */
class Gate {
  /** Calls that have come to it. */
  calls = 0;
  #open = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  async pass(): Promise<void> {
    this.calls += 1;
    await this.#opened;
  }

  open(): void {
    this.#open();
  }
}

/** The providers of an instance whose job has that gate, or none, around its guard; `runs` is told where it runs. */
function jobAt(place: string, stage: FireStage, runs: string[], gate?: Gate): Provider[] {
  class Job {
    @Cron('0 0 0 1 1 *', { name: 'job', timeZone: 'UTC' })
    @around(
      (method) =>
        async function (...args) {
          await gate?.pass();
          return await Reflect.apply(method, this, args);
        },
    )
    @DistributedLock(stage.job)
    async run(): Promise<void> {
      runs.push(place);
    }
  }
  return [Job];
}

/** An instance without the job, which Redis knows from before. */
async function askerOf(stage: FireStage): Promise<INestApplicationContext> {
  const [asker] = await stage.start(1, []);
  if (asker === undefined) throw new Error('unreachable');
  await locksOf(asker).ticks.jobs.register(stage.job, 'before', instants(Date.now));
  return asker;
}

/** The ways in which a run that was granted to an instance can be kept from beginning there. */
const HINDRANCES: Readonly<Record<string, (app: INestApplicationContext) => unknown>> = {
  'the job is stopped': (app) => registryOf(app).getCronJob('job').stop(),
  'the job is deleted': (app) => registryOf(app).deleteCronJob('job'),
  'the application shuts down': (app) => app.close(),
};

describe.concurrent('a run that runNow requested, and that was granted', { timeout: scaled(30_000) }, () => {
  test('is answered with true once it has begun, and not before', async ({ stage }) => {
    const [runs, gate] = [new Array<string>(), new Gate()];
    const asker = await askerOf(stage);
    await stage.start(1, jobAt('here', stage, runs, gate));
    const { jobs } = locksOf(asker);
    let isAnswered = false;
    const asked = jobs.runNow(stage.job, { timeout: '20s' }).finally(() => (isAnswered = true));
    await until('it is granted', () => gate.calls > 0);
    // Time for an answer that comes with the grant.
    await sleep(scaled(200));
    expect(isAnswered).toBe(false);
    gate.open();
    expect(await asked).toBe(true);
    expect(runs).toEqual(['here']);
  });

  test.for(Object.entries(HINDRANCES))(
    'goes to another instance where %s before it begins',
    async ([, hinder], { stage }) => {
      const [runs, gate] = [new Array<string>(), new Gate()];
      const asker = await askerOf(stage);
      const [held] = await stage.start(1, jobAt('held up', stage, runs, gate));
      if (held === undefined) throw new Error('unreachable');
      const asked = locksOf(asker).jobs.runNow(stage.job, { timeout: '20s' });
      await until('it is granted', () => gate.calls > 0);
      await stage.start(1, jobAt('other', stage, runs));
      await hinder(held);
      gate.open();
      expect(await asked).toBe(true);
      await until(
        'it has ended',
        async () => (await locksOf(asker).getRuns(stage.job))[0]?.outcome === 'completed',
      );
      expect(runs).toEqual(['other']);
      const rows = await locksOf(asker).getRuns(stage.job);
      expect(rows).toMatchObject([{ outcome: 'completed', attempt: 1, requestedBy: expect.any(String) }]);
    },
  );

  test.for(Object.entries(HINDRANCES))(
    'is answered with false where %s before it begins and no other instance has the job',
    async ([, hinder], { stage }) => {
      const [runs, gate] = [new Array<string>(), new Gate()];
      const asker = await askerOf(stage);
      const [held] = await stage.start(1, jobAt('held up', stage, runs, gate));
      if (held === undefined) throw new Error('unreachable');
      const asked = locksOf(asker).jobs.runNow(stage.job, { timeout: scaled(2000) });
      await until('it is granted', () => gate.calls > 0);
      await hinder(held);
      gate.open();
      expect(await asked).toBe(false);
      expect(runs).toEqual([]);
      // Nothing of it is left to be run later.
      await stage.start(1, jobAt('other', stage, runs));
      expect(await locksOf(asker).jobs.runNow(stage.job)).toBe(true);
      await until(
        'that has ended',
        async () => (await locksOf(asker).getRuns(stage.job))[0]?.outcome === 'completed',
      );
      expect(runs).toEqual(['other']);
      expect(await locksOf(asker).jobs.status(stage.job)).toMatchObject({ handedOver: undefined });
    },
  );

  test('changes no schedule, also where it is handed over and repeated', async ({ stage }) => {
    class Job {
      @Interval('job', 60_000)
      @DistributedLock(stage.job, { onCrash: 'retry' })
      async run(): Promise<void> {
        const { attempt, signal } = currentLock() ?? {};
        stage.note();
        if (attempt === 1) await once(signal ?? new EventTarget(), 'abort');
      }
    }
    const [stopped] = await stage.start(1, [Job]);
    if (stopped === undefined) throw new Error('unreachable');
    const { jobs } = locksOf(stopped);
    expect(await jobs.runNow(stage.job)).toBe(true);
    const begun = await jobs.status(stage.job);
    expect(begun?.mark).toBeGreaterThan(0);
    const [other] = await stage.start(1, [Job]);
    await stopped.close();
    if (other === undefined) throw new Error('unreachable');
    const locks = locksOf(other);
    const newest = async () => (await locks.getRuns(stage.job))[0];
    await until('it has ended', async () => (await newest())?.outcome === 'completed');
    const byHand: unknown = expect.any(String);
    expect(await locks.getRuns(stage.job)).toMatchObject([
      { outcome: 'completed', attempt: 2, requestedBy: byHand },
      { outcome: 'handed-over', attempt: 1, requestedBy: byHand },
    ]);
    expect((await locks.jobs.status(stage.job))?.mark).toBe(begun?.mark);
  });

  test('is answered with false as soon as it is known that a decorator keeps the call to itself', async ({
    stage,
  }) => {
    class Job {
      @Cron('0 0 0 1 1 *', { name: 'job' })
      @around(() => async () => {})
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }
    }
    const asker = await askerOf(stage);
    await stage.start(1, [Job]);
    const { jobs } = locksOf(asker);
    const asked = performance.now();
    expect(await jobs.runNow(stage.job, { timeout: '60s' })).toBe(false);
    expect(performance.now() - asked).toBeLessThan(scaled(10_000));
    expect(stage.runs).toEqual([]);
    expect(await locksOf(asker).getRuns(stage.job)).toMatchObject([{ outcome: 'failed' }]);
  });

  test('is not waited for longer than asked, although another caller waits for longer', async ({ stage }) => {
    const asker = await askerOf(stage);
    const { jobs } = locksOf(asker);
    const held = await locksOf(asker).getLock(stage.job).lock();
    const looks = vi.spyOn(JobScripts.prototype, 'withdraw');
    const redis = new Redis(inject('redisUrl'));
    const { record } = jobKeys(stage.prefix + stage.job);
    const from = performance.now();
    const short = jobs.runNow(stage.job, { timeout: scaled(500) });
    await until('it waits', async () => (await redis.hexists(record, 'request')) === 1);
    redis.disconnect();
    const long = jobs.runNow(stage.job, { timeout: scaled(20_000) });
    const joined = jobs.runNow(stage.job, { timeout: scaled(300) });
    expect([await short, await joined]).toEqual([false, false]);
    expect(performance.now() - from).toBeLessThan(scaled(3000));
    // The three have looked now and then, and not all the time.
    expect(looks.mock.calls.filter(([keys]) => keys.record === record).length).toBeLessThan(20);
    looks.mockRestore();
    await held.unlock();
    const runs: string[] = [];
    await stage.start(1, jobAt('here', stage, runs));
    expect(await long).toBe(true);
    expect(runs).toEqual(['here']);
  });

  test('does not begin when its time is over', async ({ stage }) => {
    const [runs, gate] = [new Array<string>(), new Gate()];
    const asker = await askerOf(stage);
    await stage.start(1, jobAt('here', stage, runs, gate));
    const { jobs } = locksOf(asker);
    expect(await jobs.runNow(stage.job, { timeout: 300 })).toBe(false);
    expect(gate.calls).toBe(1);
    gate.open();
    await until('it is given back', async () => (await jobs.status(stage.job))?.running === undefined);
    expect(runs).toEqual([]);
    expect(await jobs.status(stage.job)).toMatchObject({ handedOver: undefined });
  });
});
