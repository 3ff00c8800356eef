import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Cron, Interval, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { CronJob, CronTime } from 'cron';
import { Redis } from 'ioredis';
import { directCall, DistributedLock, DistributedLockModule, LeaderOnly } from 'nestjs-distributed-lock';
import { describe, expect, inject, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { around } from './disguises.js';
import {
  fireFixtures,
  fireLogger,
  locksOf,
  registryOf,
  type FireFixtures,
  type FireStage,
} from './fire.stage.js';
import { firePastDates } from './past.dates.js';

const test = base.extend<FireFixtures>(fireFixtures);
firePastDates();

const SECONDLY = '* * * * * *';
const YEARLY = '0 0 0 1 1 *';

/** Runs that are ticks, each of which is to be there once. */
function ticksOf({ runs }: FireStage): number[] {
  return runs.flatMap(({ tick }) => (tick === undefined ? [] : [tick]));
}

function expectOnce(stage: FireStage): void {
  const ticks = ticksOf(stage);
  expect(new Set(ticks).size).toBe(ticks.length);
  expect(ticks).toHaveLength(stage.runs.length);
}

/** A class with one guarded cron job, and what is to stand around its guard. */
function jobOn(stage: FireStage, cron: string, options: object = {}, stand = around((method) => method)) {
  class Job {
    @Cron(cron, { name: 'nightly', ...options })
    @stand
    @DistributedLock(stage.job, { waitTime: '5s' })
    async run(): Promise<string> {
      stage.note();
      return 'ran';
    }
  }
  return Job;
}

describe.concurrent('fireOnTick() by hand', { timeout: scaled(20_000) }, () => {
  test('is a direct call on each instance that makes it', async ({ stage }) => {
    const apps = await stage.start(2, [jobOn(stage, YEARLY)]);
    for (const app of apps) await registryOf(app).getCronJob('nightly').fireOnTick();
    await until('two runs', () => stage.runs.length === 2);
    expect(ticksOf(stage)).toEqual([]);
  });

  test('is one between ticks too, which are not changed by it', async ({ stage }) => {
    const [app] = await stage.start(1, [jobOn(stage, SECONDLY)]);
    if (app === undefined) throw new Error('unreachable');
    for (let call = 1; call <= 3; call += 1) {
      await until('a tick', () => ticksOf(stage).length >= call, 10_000);
      await registryOf(app).getCronJob('nightly').fireOnTick();
      await until('a direct call', () => stage.runs.length - ticksOf(stage).length === call);
    }
    const ticks = ticksOf(stage);
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  test('runs where the job is disabled, and where its fires are skipped while it runs', async ({ stage }) => {
    const [app] = await stage.start(1, [jobOn(stage, SECONDLY, { disabled: true, waitForCompletion: true })]);
    if (app === undefined) throw new Error('unreachable');
    await registryOf(app).getCronJob('nightly').fireOnTick();
    expect(stage.runs).toEqual([{ tick: undefined, at: expect.any(Number) }]);
  });
});

describe.concurrent('each instant of a schedule is one tick', { timeout: scaled(20_000) }, () => {
  test('after the method of the instance was replaced', async ({ stage }) => {
    const Job = jobOn(stage, SECONDLY);
    const apps = await stage.start(3, [Job]);
    for (const app of apps) {
      const job = app.get(Job);
      job.run = job.run.bind(job);
    }
    await until('two ticks', () => stage.runs.length >= 2, 10_000);
    expectOnce(stage);
  });

  test('of a job that takes the place of the deleted one', async ({ stage }) => {
    const Job = jobOn(stage, YEARLY);
    const apps = await stage.start(3, [Job]);
    for (const app of apps) {
      const registry = registryOf(app);
      registry.deleteCronJob('nightly');
      registry.addCronJob(
        'nightly',
        CronJob.from({ cronTime: SECONDLY, onTick: () => void app.get(Job).run(), start: true }),
      );
    }
    await until('two ticks', () => stage.runs.length >= 2, 10_000);
    expectOnce(stage);
  });

  test('of a job under another name, which calls the guarded method', async ({ stage }) => {
    const Job = jobOn(stage, YEARLY);
    const apps = await stage.start(3, [Job]);
    for (const app of apps) {
      const job = new CronJob(SECONDLY, async () => void (await app.get(Job).run()));
      registryOf(app).addCronJob('another', job);
      job.start();
    }
    await until('two ticks', () => stage.runs.length >= 2, 10_000);
    expectOnce(stage);
    for (const app of apps) await registryOf(app).getCronJob('another').fireOnTick();
    await until('direct calls', () => stage.runs.length - ticksOf(stage).length === 3);
  });

  test('of a job of a Date under another name, whose timer has ended when it fires', async ({ stage }) => {
    class Job {
      @Cron(YEARLY, { name: 'nightly' })
      @DistributedLock(stage.job, { minInterval: '1h' })
      async run(): Promise<void> {
        stage.note();
      }
    }
    const apps = await stage.start(2, [Job]);
    const at = new Date(Date.now() + scaled(500));
    for (const app of apps) {
      registryOf(app).getCronJob('nightly').stop();
      const job = new CronJob(at, async () => void (await app.get(Job).run()));
      registryOf(app).addCronJob('once', job);
      job.start();
    }
    await until('it has run', () => stage.runs.length > 0, 10_000);
    await until('both have fired', () => Date.now() > at.getTime() + 500);
    expect(ticksOf(stage)).toHaveLength(1);
    expect(stage.runs).toHaveLength(1);
  });

  test('of a job that was stopped, set to another time and started again, with a second callback', async ({
    stage,
  }) => {
    const apps = await stage.start(3, [jobOn(stage, YEARLY, { waitForCompletion: true })]);
    let others = 0;
    for (const app of apps) {
      const job = registryOf(app).getCronJob('nightly');
      await job.stop();
      job.setTime(new CronTime(SECONDLY));
      job.addCallback(() => void (others += 1));
      job.start();
    }
    await until('two ticks', () => stage.runs.length >= 2 && others >= 3, 10_000);
    expectOnce(stage);
  });
});

test.concurrent(
  'a job that is set to a Date runs nowhere, and logs the reason',
  { timeout: scaled(20_000) },
  async ({ stage }) => {
    const apps = await stage.start(2, [jobOn(stage, YEARLY)]);
    for (const [index, app] of apps.entries())
      registryOf(app)
        .getCronJob('nightly')
        .setTime(new CronTime(new Date(Date.now() + 300 + index * 60)));
    await until('both say why', () => stage.warnings('was set to a Date').length === 2);
    expect(stage.runs).toEqual([]);
  },
);

describe.concurrent('a call of a scheduled method', { timeout: scaled(20_000) }, () => {
  test('without a schedule, by a job of the application, is logged once', async ({ stage }) => {
    class Job {
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }
    }
    const [app] = await stage.start(1, [Job]);
    if (app === undefined) throw new Error('unreachable');
    const job = new CronJob(SECONDLY, () => app.get(Job).run());
    registryOf(app).addCronJob(stage.prefix, job);
    job.start();
    await until('two runs', () => stage.runs.length >= 2, 10_000);
    expect(stage.warnings('which has no schedule of its own')).toHaveLength(1);
  });

  test('whose fires never reach the guard is logged once, and a direct call has to be declared', async ({
    stage,
  }) => {
    const gate = { isOpen: false };
    const stand = around(
      (method) =>
        async function (...args) {
          return gate.isOpen ? await Reflect.apply(method, this, args) : undefined;
        },
    );
    const Job = jobOn(stage, SECONDLY, {}, stand);
    const [app] = await stage.start(1, [Job]);
    if (app === undefined) throw new Error('unreachable');
    const job = app.get(Job);
    await until('it is told', () => stage.warnings('did not reach @DistributedLock').length === 1, 10_000);
    registryOf(app).getCronJob('nightly').setTime(new CronTime(YEARLY));
    gate.isOpen = true;
    await until('the fires are over', async () => {
      const code = await job.run().then(
        () => 'ran',
        (error: unknown) => Reflect.get(Object(error), 'code'),
      );
      return code === 'UNCLEAR_CALL';
    });
    const before = stage.runs.length;
    expect(await directCall(() => job.run())).toBe('ran');
    expect(stage.runs.slice(before).map(({ tick }) => tick)).toEqual([undefined]);
    expect(stage.warnings('did not reach @DistributedLock')).toHaveLength(1);
  });

  test('that only the leader is to make is no call that gets lost elsewhere', async ({ stage }) => {
    class Job {
      @Cron(SECONDLY)
      @LeaderOnly(`leader of ${stage.prefix}`)
      @DistributedLock(stage.job)
      async run(): Promise<void> {
        stage.note();
      }
    }
    await stage.start(2, [Job]);
    await until('the leader runs it', () => stage.runs.length >= 3, 15_000);
    expect(stage.warnings('did not reach @DistributedLock')).toEqual([]);
    await stage.close();
    const redis = new Redis(inject('redisUrl'));
    // The token of an election stays.
    await redis.del(`redisson_lock_token:{${stage.prefix}leader of ${stage.prefix}}`);
    redis.disconnect();
  });

  test('by a request, an interval of its own kind, or the work of a tick is direct', async ({ stage }) => {
    @Controller()
    class Job {
      @Get()
      @Interval(400)
      @DistributedLock(stage.job, { waitTime: '2s' })
      async run(): Promise<string> {
        stage.note();
        return 'ran';
      }
    }
    @Module({})
    class AppModule {}
    const app = await NestFactory.create(
      {
        module: AppModule,
        imports: [
          ScheduleModule.forRoot(),
          DistributedLockModule.forRoot({ redis: inject('redisUrl'), namePrefix: stage.prefix }),
        ],
        controllers: [Job],
      },
      { logger: fireLogger() },
    );
    try {
      await app.listen(0, '127.0.0.1');
      for (let request = 1; request <= 4; request += 1) {
        await until('a tick', () => ticksOf(stage).length >= request);
        expect(await (await fetch(await app.getUrl())).text()).toBe('ran');
        expect(stage.runs.length - ticksOf(stage).length).toBe(request);
      }
      expect(app.get(SchedulerRegistry).getIntervals()).toHaveLength(1);
    } finally {
      await app.close();
    }
  });
});

test.concurrent(
  'a run that hangs is aborted by maxHold, and the schedule goes on with waitForCompletion',
  { timeout: scaled(20_000) },
  async ({ stage }) => {
    class Job {
      @Cron(SECONDLY, { waitForCompletion: true })
      @DistributedLock(stage.job, { maxHold: 500 })
      async run(): Promise<void> {
        stage.note();
        await new Promise(() => undefined);
      }
    }
    const [app] = await stage.start(1, [Job], { watchdog: 900 });
    if (app === undefined) throw new Error('unreachable');
    await until('three runs', () => stage.runs.length >= 3, 15_000);
    expectOnce(stage);
    for (const job of registryOf(app).getCronJobs().values()) void job.stop();
    // A run that does not end is not freed: its lease ends.
    await until('the last lease is over', async () => !(await locksOf(app).getLock(stage.job).isLocked()));
  },
);
