import { Injectable, Module, type INestApplication, type Type } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import {
  DistributedLock,
  DistributedLockModule,
  LockService,
  type LockModuleSettings,
  type TickUnclaimedEvent,
} from 'nestjs-distributed-lock';
import {
  DistributedLockMetricsModule,
  instrumentLocks,
  type LockMetricsOptions,
} from 'nestjs-distributed-lock/metrics';
import { describe, expect, inject, test as base } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { Services, uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import { TickFleet } from '../ticks/tick.fleet.js';
import { Meters } from './meters.js';
import type { Scrape } from './scrape.reader.js';

type RunningRedis = Awaited<ReturnType<typeof startRedis>>;

/** Worker processes on a Redis of their own, and instances in this process that have none of the jobs. */
interface Stage {
  readonly redis: RunningRedis;
  readonly fleet: TickFleet;
  readonly services: Services;
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  stage: async ({}, use) => {
    const redis = await startRedis();
    const fleet = new TickFleet(redis.url);
    const services = new Services(redis.url, { prefix: fleet.prefix });
    services.admin.on('error', () => undefined);
    try {
      await use({ redis, fleet, services });
    } finally {
      await redis.resume();
      await services.close();
      await fleet.end();
      await redis.stop();
    }
  },
});

const COUNTED = { distributed_lock_job: 'counted' };

/** The first report of an instance comes after 2 s. */
const REPORTED = 8000;

/** The instruments of a job that are observed, with their values. */
const figures = (scrape: Scrape, job: Readonly<Record<string, string>> = COUNTED) =>
  Object.fromEntries(
    ['last_success', 'next', 'paused', 'overdue', 'running', 'instances'].map((name) => [
      name,
      scrape.values(`job_${name}`, job)[0],
    ]),
  );

async function measured(
  { services }: Stage,
  options: LockModuleSettings = {},
): Promise<{ meters: Meters; locks: LockService }> {
  const [meters, locks] = [new Meters(), await services.open(options)];
  instrumentLocks(locks, { meterProvider: meters.meterProvider });
  return { meters, locks };
}

describe('the figures of the jobs of a fleet', { timeout: scaled(60_000) }, () => {
  test('are those of its runs, from every instance alike', async ({ stage }) => {
    const workers = await stage.fleet.start({}, {});
    const [{ meters, locks }, other] = [await measured(stage), await measured(stage)];
    const read = async () => figures(await meters.scrape());
    await until('both report', async () => (await read())['instances'] === 2, REPORTED);
    await until('a run has completed', async () => ((await read())['last_success'] ?? 0) > 0);

    const before = await locks.jobs.status('counted');
    const scraped = await Promise.all([read(), other.meters.scrape().then((scrape) => figures(scrape))]);
    const after = await locks.jobs.status('counted');
    for (const each of scraped) {
      for (const [name, status] of [
        ['last_success', 'lastSuccess'],
        ['next', 'next'],
      ] as const) {
        expect(each[name]).toBeGreaterThanOrEqual((before?.[status] ?? Infinity) / 1000);
        expect(each[name]).toBeLessThanOrEqual((after?.[status] ?? 0) / 1000);
      }
      expect(each).toMatchObject({ paused: 0, instances: 2 });
      expect(each['overdue']).toBeLessThan(scaled(1));
    }

    // A paused job is not overdue, whether or not instances are left that pass its ticks over.
    expect(await locks.jobs.pause('counted')).toBe(true);
    await Promise.all(workers.map((worker) => worker.kill()));
    const { next = 0 } = await read();
    await stage.fleet.reach(next * 1000 + 1500);
    expect(await read()).toMatchObject({ next, paused: 1, overdue: 0, running: 0 });
    await locks.jobs.resume('counted');
    const resumed = await read();
    expect(resumed['paused']).toBe(0);
    expect(resumed['overdue']).toBeGreaterThan(1);
  });

  test('show how long a run lasts, and call its job overdue only when its lease must have ended', async ({
    stage,
  }) => {
    await stage.fleet.start({ work: 'hang', cron: '* * * * * *' });
    const { meters, locks } = await measured(stage, { lockWatchdogTimeout: 1000 });
    await until('it runs', async () => (figures(await meters.scrape())['running'] ?? 0) > 1.2);
    const start = (await locks.jobs.status('counted'))?.running?.start ?? Number.NaN;
    const earliest = ((await stage.fleet.storeNow()) - start) / 1000;
    const { running, overdue } = figures(await meters.scrape());
    const latest = ((await stage.fleet.storeNow()) - start) / 1000;
    expect(overdue).toBe(0);
    // The estimate of the store's clock is exact to half a round trip.
    expect(running).toBeGreaterThan(earliest - 0.05);
    expect(running).toBeLessThan(latest + 0.05);

    // Without Redis no run keeps its lock for longer than its lease.
    await stage.redis.pause();
    const read = async () => figures(await meters.scrape());
    await until('the run is over, and the next tick overdue', async () => {
      const { running: now, overdue: late = 0 } = await read();
      return now === 0 && late > 0;
    });
  });

  test('grow while no instance runs the job, and go on growing while Redis is away', async ({ stage }) => {
    const [one, other] = await stage.fleet.start({}, {});
    const { meters } = await measured(stage);
    const overdue = async () => figures(await meters.scrape())['overdue'] ?? 0;
    await until('it is read', async () => (figures(await meters.scrape())['next'] ?? 0) > 0);
    await Promise.all([one?.kill(), other?.kill()]);
    // A run that was killed keeps its lock until its lease ends.
    await until('it is overdue', async () => (await overdue()) > 1, 10_000);

    await stage.redis.pause();
    const paused = await overdue();
    const began = performance.now();
    const later = await overdue();
    const took = (performance.now() - began) / 1000;
    expect(took).toBeLessThan(scaled(1.5));
    expect(later - paused).toBeGreaterThan(took - 0.1);
    await stage.redis.kill();
    const last = await overdue();
    await until('it grows', async () => (await overdue()) > last + 0.5);
    expect(figures(await meters.scrape())).toMatchObject({ paused: 0, running: 0 });
  });

  test('are 0 for a job that was forgotten, since a series keeps its last value', async ({ stage }) => {
    const { meters, locks } = await measured(stage);
    const other = await stage.services.open();
    await other.ticks.jobs.register(
      'renamed',
      'hourly',
      instants(() => 'now'),
    );
    const read = async () => figures(await meters.scrape(), { distributed_lock_job: 'renamed' });
    await locks.jobs.pause('renamed');
    await until('it is listed', async () => (await read())['paused'] === 1);
    await locks.jobs.forget('renamed');
    const gone = { last_success: 0, next: 0, paused: 0, overdue: 0, running: 0, instances: 0 };
    await until('it is 0', async () => (await read())['paused'] === 0);
    expect(await read()).toEqual(gone);
  });

  test('are read once for collections at the same time', async ({ stage }) => {
    const { meters, locks } = await measured(stage);
    for (const job of ['one', 'two'])
      await locks.ticks.jobs.register(
        job,
        'hourly',
        instants(() => 'now'),
      );
    const collect = async (times: number) => {
      const before = await stage.fleet.scriptCalls();
      await Promise.all(Array.from({ length: times }, () => meters.text()));
      return (await stage.fleet.scriptCalls()) - before;
    };
    await collect(1);
    const single = await collect(1);
    expect(single).toBe(4);
    expect(await collect(10)).toBe(single);
  });
});

/** Never due while a test runs. */
const YEARLY = '0 0 0 1 1 *';

@Injectable()
class YearlyJob {
  @Cron(YEARLY)
  @DistributedLock('yearly')
  async run(): Promise<void> {}
}

@Injectable()
class SecondlyJob {
  @Cron('* * * * * *')
  @DistributedLock('secondly')
  async run(): Promise<void> {}
}

describe('an instance with a job', { timeout: scaled(60_000) }, () => {
  const boot = async (
    job: Type,
    redis: string,
    { namePrefix = uniquePrefix(), ...options }: LockMetricsOptions & { readonly namePrefix?: string } = {},
  ) => {
    const meters = new Meters();
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis, namePrefix, instanceInfo: false, shutdownTimeout: 200 }),
        DistributedLockMetricsModule.forRoot({ meterProvider: meters.meterProvider, ...options }),
      ],
      providers: [job],
    })
    class App {}
    const module = await Test.createTestingModule({ imports: [App] }).compile();
    const app: INestApplication = await module.createNestApplication({ logger: false }).init();
    return { app, meters, locks: app.get(LockService) };
  };

  test('has every series of it from the first scrape on, at zero', async () => {
    const { app, meters, locks } = await boot(YearlyJob, inject('redisUrl'));
    try {
      const scrape = await meters.scrape();
      const yearly = { distributed_lock_job: 'yearly' };
      expect(figures(scrape, yearly)).toMatchObject({ last_success: 0, paused: 0, overdue: 0, running: 0 });
      for (const outcome of ['completed', 'failed', 'crashed', 'abandoned', 'missed'])
        expect(scrape.values('ticks_total', { ...yearly, distributed_lock_outcome: outcome })).toEqual([0]);
      const skipped = { ...yearly, distributed_lock_outcome: 'skipped' };
      expect(scrape.values('ticks_total', skipped)).toEqual([0, 0, 0, 0]);
      expect(scrape.values('job_unclaimed_total', yearly)).toEqual([0]);
      expect(scrape.labels('distributed_lock_name')).toEqual(new Set());
    } finally {
      await until('it is registered', async () => (await locks.jobs.status('yearly')) !== undefined);
      await locks.jobs.forget('yearly');
      await app.close();
    }
  });

  test('has its figures, however many jobs the fleet has', async () => {
    const { app, meters, locks } = await boot(YearlyJob, inject('redisUrl'));
    const others = Array.from({ length: 1000 }, (_, index) => `a${index}`);
    try {
      await until('it is registered', async () => (await locks.jobs.status('yearly')) !== undefined);
      await locks.jobs.pause('yearly');
      await Promise.all(others.map((name) => locks.runOnce(name, 1000, () => undefined)));
      const yearly = async () => figures(await meters.scrape(), { distributed_lock_job: 'yearly' });
      await until('it is read', async () => (await yearly())['paused'] === 1);
      expect((await yearly())['next']).toBeGreaterThan(0);
    } finally {
      await Promise.allSettled([...others, 'yearly'].map((name) => locks.jobs.forget(name)));
      await app.close();
    }
  });

  test('counts its runs by job, and the ticks that it cannot claim while Redis is away', async () => {
    const redis = await startRedis();
    const { app, meters, locks } = await boot(SecondlyJob, redis.url);
    const unclaimed: TickUnclaimedEvent[] = [];
    locks.events.listen({ tickUnclaimed: (event) => void unclaimed.push(event) });
    const secondly = { distributed_lock_job: 'secondly' };
    const count = async () => (await meters.scrape()).of('job_unclaimed_total', secondly);
    try {
      const completed = { ...secondly, distributed_lock_outcome: 'completed' };
      await until('it has run', async () => (await meters.scrape()).of('ticks_total', completed) > 0);
      expect(await count()).toBe(0);
      await redis.pause();
      await until('ticks are unclaimed', async () => (await count()) >= 2, 15_000);
      const ticks = unclaimed.map(({ tick }) => tick);
      expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other));
      for (const { job, tick, error } of unclaimed) {
        expect([job, tick % 1000]).toEqual(['secondly', 0]);
        expect(error).toMatchObject({ code: 'UNAVAILABLE' });
      }
    } finally {
      await redis.resume();
      await app.close();
      await redis.stop();
    }
  });

  test('counts ticks of a job whose record Redis refuses', async () => {
    const services = new Services();
    const { prefix, admin } = services;
    const record = `{${prefix}secondly}:tick`;
    await admin.set(record, 'mine');
    const { app, meters, locks } = await boot(SecondlyJob, inject('redisUrl'), { namePrefix: prefix });
    const codes = new Set<string>();
    locks.events.listen({ tickUnclaimed: ({ error }) => void codes.add(error.code) });
    try {
      const secondly = { distributed_lock_job: 'secondly' };
      await until(
        'it is counted',
        async () => (await meters.scrape()).of('job_unclaimed_total', secondly) > 0,
      );
      expect(codes).toEqual(new Set(['WRONG_TYPE']));
    } finally {
      await app.close();
      await admin.del(record);
      await services.close();
    }
  });

  test('is refused with jobs that are neither true nor false', async () => {
    const jobs: unknown = 'yes';
    await expect(boot(YearlyJob, inject('redisUrl'), { jobs: jobs as boolean })).rejects.toThrow(
      'jobs of the metrics must be true or false, not yes.',
    );
  });

  test('has no series of jobs with jobs: false', async () => {
    const { app, meters, locks } = await boot(YearlyJob, inject('redisUrl'), { jobs: false });
    try {
      await locks.runOnce('once', 1000, () => undefined);
      const scrape = await meters.scrape();
      expect(scrape.of('ticks_total', { distributed_lock_outcome: 'completed' })).toBe(1);
      expect([...scrape.names].filter((name) => name.startsWith('job_'))).toEqual([]);
      expect(scrape.labels('distributed_lock_job')).toEqual(new Set());
    } finally {
      await until('it is registered', async () => (await locks.jobs.status('yearly')) !== undefined);
      await Promise.all(['yearly', 'once'].map((job) => locks.jobs.forget(job)));
      await app.close();
    }
  });
});
