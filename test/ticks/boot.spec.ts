import type { Provider } from '@nestjs/common';
import { Cron, Interval, ScheduleModule, Timeout } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { DistributedLock, DistributedLockModule, LeaderOnly, LockService } from 'nestjs-distributed-lock';
import { Redis } from 'ioredis';
import { inject, test as base, describe, expect, vi } from 'vitest';
import { uniquePrefix } from '../support/services.js';
import { until } from '../support/until.js';

const DAILY = '0 0 3 * * *';

/** Boots an application with these providers, and closes it again. */
const test = base.extend<{ boot: (providers: Provider[], schedule?: boolean) => Promise<LockService> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of other fixtures here
  boot: async ({}, use) => {
    const closers: (() => Promise<void>)[] = [];
    await use(async (providers, schedule = true) => {
      const locks = { redis: inject('redisUrl'), namePrefix: uniquePrefix(), shutdownTimeout: 100 };
      const module = await Test.createTestingModule({
        imports: [...(schedule ? [ScheduleModule.forRoot()] : []), DistributedLockModule.forRoot(locks)],
        providers,
      }).compile();
      module.useLogger(false);
      closers.push(() => module.close());
      await module.init();
      return module.get(LockService);
    });
    for (const close of closers) await close();
  },
});

describe('an application with scheduled methods', () => {
  class First {
    @Cron(DAILY)
    @DistributedLock('one key')
    async run(): Promise<void> {}
  }
  class Second {
    @Interval(60_000)
    @DistributedLock(() => 'one key')
    async work(): Promise<void> {}
  }

  test('is refused when two of them have one key', async ({ boot }) => {
    await expect(boot([First, Second])).rejects.toMatchObject({
      code: 'DUPLICATE_JOB',
      lock: 'one key',
      message: expect.stringContaining('First.run and Second.work'),
    });
  });

  test('is refused when a subclass inherits a job that its parent has too', async ({ boot }) => {
    class Child extends First {}
    await expect(boot([First, Child])).rejects.toMatchObject({ code: 'DUPLICATE_JOB' });
  });

  test('starts when all of them say that they share it', async ({ boot }) => {
    class One {
      @Cron(DAILY)
      @DistributedLock('shared key', { shared: true })
      async run(): Promise<void> {}
    }
    class Other {
      @Cron('0 0 4 * * *')
      @DistributedLock('shared key', { shared: true })
      async run(): Promise<void> {}
    }
    await boot([One, Other]);
    class Silent {
      @Cron(DAILY)
      @DistributedLock('shared key')
      async run(): Promise<void> {}
    }
    await expect(boot([One, Silent])).rejects.toMatchObject({ code: 'DUPLICATE_JOB' });
  });

  test('starts when one class is provided twice, and when a method without a schedule has the key of a job', async ({
    boot,
  }) => {
    class Unscheduled {
      @DistributedLock('one key')
      async run(): Promise<void> {}
    }
    await expect(boot([First, { provide: 'again', useClass: First }, Unscheduled])).resolves.toBeDefined();
  });

  test('is refused when a key needs arguments', async ({ boot }) => {
    class Keyed {
      @Cron(DAILY)
      @DistributedLock((id: string) => `job:${id}`)
      async run(_id: string): Promise<void> {}
    }
    await expect(boot([Keyed])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('Keyed.run has a schedule'),
    });
  });

  test.for([
    ['an interval with catchUp', Interval(60_000), { catchUp: '1h' }, 'catchUp'],
    ['a timeout with catchUp', Timeout(60_000), { catchUp: '1h', minInterval: '1h' }, 'catchUp'],
    ['a timeout on every instance with retry', Timeout(60_000), { onCrash: 'retry' }, 'onCrash: "retry"'],
    ['a timeout on every instance with a queue', Timeout(60_000), { overlap: 'queue' }, 'overlap: "queue"'],
    ['a splay on an interval', Interval(1000), { splay: '5s' }, 'splay'],
    ['a splay with waitForCompletion', Cron(DAILY, { waitForCompletion: true }), { splay: '5s' }, 'splay'],
    ['a splay of a shared job', Cron(DAILY), { splay: '5s', shared: true }, 'splay'],
    ['a timeout on every instance with a heartbeat', Timeout(60_000), { heartbeat: () => true }, 'heartbeat'],
    ['a timeout on every instance with a maxHold', Timeout(60_000), { maxHold: '5m' }, 'maxHold'],
    ['a timeout on every instance with a grace', Timeout(60_000), { grace: '5s' }, 'grace'],
    ['a timeout on every instance with a history', Timeout(60_000), { history: 500 }, 'history'],
    ['attempts without retry', Cron(DAILY), { maxAttempts: 2 }, 'maxAttempts'],
    ['a shared key with retry', Cron(DAILY), { onCrash: 'retry', shared: true }, 'onCrash: "retry"'],
  ] as const)('is refused for %s', async ([, schedule, options, option], { boot }) => {
    class Wrong {
      @DistributedLock('wrong', options)
      async run(): Promise<void> {}
    }
    schedule(Wrong.prototype, 'run', Reflect.getOwnPropertyDescriptor(Wrong.prototype, 'run') ?? {});
    await expect(boot([Wrong])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining(`Wrong.run cannot have ${option}`),
    });
  });

  test.for([
    ['retry', { onCrash: 'retry' }],
    ['a queue', { overlap: 'queue' }],
    ['a catchUp', { catchUp: '1h' }],
    ['a splay', { splay: '1m' }],
  ] as const)('is refused for %s of a job of the leader alone', async ([, options], { boot }) => {
    class Leading {
      @Cron(DAILY)
      @LeaderOnly('leader')
      @DistributedLock('wrong', options)
      async run(): Promise<void> {}
    }
    await expect(boot([Leading])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/Leading\.run cannot have .* Remove @LeaderOnly/),
    });
  });

  test.for([
    ['an interval', Interval(60_000)],
    ['a timeout', Timeout(60_000)],
    ['a cron job', Cron(DAILY)],
  ] as const)('starts with %s that retries and queues', async ([, schedule], { boot }) => {
    class Right {
      @DistributedLock('right', { onCrash: 'retry', overlap: 'queue', minInterval: '1h' })
      async run(): Promise<void> {}
    }
    schedule(Right.prototype, 'run', Reflect.getOwnPropertyDescriptor(Right.prototype, 'run') ?? {});
    const locks = await boot([Right]);
    await until('the record', async () => (await locks.jobs.status('right'))?.mark !== undefined);
    expect(await locks.getRuns('right')).toEqual([]);
  });

  test('is refused with a scheduler whose ticks cannot be distinguished from direct calls', async ({
    boot,
  }) => {
    const methods = ['addCronJob', 'getCronJobs', 'deleteCronJob', 'getIntervals', 'getTimeouts'];
    const registry = Object.fromEntries(methods.map((name) => [name, () => undefined]));
    await expect(boot([First, { provide: 'registry', useValue: registry }], false)).rejects.toMatchObject({
      code: 'UNKNOWN_SCHEDULER',
    });
  });

  test('starts without a scheduler, and runs them when they are called', async ({ boot }) => {
    const first = new First();
    const run = vi.spyOn(first, 'run');
    await boot([{ provide: First, useValue: first }], false);
    await first.run();
    expect(run).toHaveBeenCalledOnce();
  });

  test('makes its jobs known at once, without a run', async ({ boot }) => {
    const locks = await boot([First]);
    const record = `{${locks.settings.mapName('one key')}}:tick`;
    const admin = new Redis(inject('redisUrl'));
    await until('the record', async () => (await admin.hget(record, 'mark')) !== null);
    const now = Date.now();
    const mark = Number(await admin.hget(record, 'mark'));
    expect(mark).toBeLessThanOrEqual(now);
    expect(mark).toBeGreaterThan(now - 25 * 3_600_000);
    expect(await admin.hget(record, 'schedule')).toContain(DAILY);
    expect(await locks.getRuns('one key')).toEqual([]);
    admin.disconnect();
  });
});
