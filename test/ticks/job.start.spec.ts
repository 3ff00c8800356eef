import { Module } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import {
  DistributedLock,
  DistributedLockModule,
  LockService,
  lockServiceToken,
} from 'nestjs-distributed-lock';
import { describe, expect, inject, test, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { Services, uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';

describe('a job', () => {
  test('is registered when Redis comes, if it was away at the start', async () => {
    const redis = await startRedis();
    const gate = await TcpProxy.open(redis.port);
    gate.refuse();
    let runs = 0;
    class Patient {
      @Cron('* * * * * *')
      @DistributedLock('patient')
      async run(): Promise<void> {
        runs += 1;
      }
    }
    const [host, port] = new URL(gate.url).host.split(':');
    @Module({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis: { host, port: Number(port), lazyConnect: true } }),
      ],
      providers: [Patient],
    })
    class App {}
    const app = await Test.createTestingModule({ imports: [App] }).compile();
    app.useLogger(false);
    try {
      const register = vi.spyOn(app.get(LockService).ticks.jobs, 'register');
      await app.init();
      await until('a first attempt has failed', () => register.mock.settledResults[0]?.type === 'rejected');
      gate.restore();
      await until('a run', () => runs > 0, 10_000);
      expect(register.mock.settledResults.map(({ type }) => type)).toEqual(['rejected', 'fulfilled']);
    } finally {
      await app.close();
      await gate.close();
      await redis.stop();
    }
  });

  test('that cannot be claimed any more, its name being another kind by now, is logged and ends no process', async () => {
    const prefix = uniquePrefix();
    const redis = inject('redisUrl');
    class Jobs {
      @Cron('0 0 1 1 *')
      @DistributedLock('renamed')
      async run(): Promise<void> {}
    }
    const app = await Test.createTestingModule({
      imports: [ScheduleModule.forRoot(), DistributedLockModule.forRoot({ redis, namePrefix: prefix })],
      providers: [Jobs],
    }).compile();
    const errors: unknown[] = [];
    app.useLogger({ log: () => undefined, warn: () => undefined, error: (error) => errors.push(error) });
    const others = new Services(redis);
    try {
      await app.init();
      const locks = app.get(LockService);
      await until('it is registered', async () => (await locks.jobs.status('renamed')) !== undefined);
      // So many names that this one is forgotten, and then another kind of it.
      for (let name = 0; name < 10_000; name += 1) locks.getLock(`other ${name}`);
      locks.getFairLock('renamed');
      const elsewhere = await others.open({ namePrefix: prefix });
      expect(await elsewhere.jobs.runNow('renamed', { timeout: scaled(500) })).toBe(false);
      await until('it is told of', () => errors.length > 0);
      // It is asked to look once or twice: by the request, and when that is over.
      expect(new Set(errors.map((error) => Reflect.get(Object(error), 'code')))).toEqual(
        new Set(['KIND_CONFLICT']),
      );
    } finally {
      await others.close();
      await app.close();
    }
  });

  test('of a named service is its own', async () => {
    const prefixes = [uniquePrefix(), uniquePrefix()] as const;
    const redis = inject('redisUrl');
    class Jobs {
      readonly ran = new Set<string>();

      @Cron('* * * * * *')
      @DistributedLock('same key')
      async one(): Promise<void> {
        this.ran.add('one');
      }

      @Cron('* * * * * *')
      @DistributedLock('same key', { service: 'second' })
      async other(): Promise<void> {
        this.ran.add('other');
      }
    }
    const app = await Test.createTestingModule({
      imports: [
        ScheduleModule.forRoot(),
        DistributedLockModule.forRoot({ redis, namePrefix: prefixes[0] }),
        DistributedLockModule.forRoot({ redis, namePrefix: prefixes[1], name: 'second' }),
      ],
      providers: [Jobs],
    }).compile();
    app.useLogger(false);
    try {
      await app.init();
      await until('a tick of each', () => app.get(Jobs).ran.size === 2, 10_000);
      const services = [app.get(LockService), app.get<LockService>(lockServiceToken('second'))];
      const rows = await Promise.all(services.map((locks) => locks.getRuns('same key')));
      expect(rows.map(([row]) => row?.attempt)).toEqual([1, 1]);
    } finally {
      await app.close();
    }
  });
});
