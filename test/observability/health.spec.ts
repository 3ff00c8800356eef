import { Logger, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { TerminusModule } from '@nestjs/terminus';
import { Redis } from 'ioredis';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { DistributedLockHealthIndicator } from 'nestjs-distributed-lock/health';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

let redis: RunningRedis;
let admin: Redis;
let app: TestingModule;
let locks: LockService;
let health: DistributedLockHealthIndicator;

beforeAll(async () => {
  redis = await startRedis();
  admin = new Redis(redis.url);
});

afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

beforeEach(async () => {
  Logger.overrideLogger(false);
  app = await Test.createTestingModule({ imports: [AppModule.on(redis.url)] }).compile();
  await app.init();
  locks = app.get(LockService);
  health = app.get(DistributedLockHealthIndicator);
});

afterEach(async () => {
  await redis.resume();
  await app.close();
  Logger.overrideLogger(true);
});

const replicasToWrite = (least: number) => admin.config('SET', 'min-replicas-to-write', `${least}`);

describe('the health of the locks', () => {
  test('is up while Redis answers on both connections, with what this process holds and waits for', async () => {
    const held = await locks.getLock('a').lock();
    const waiting = locks.getLock('a').lock();
    const { locks: found } = await health.isHealthy('locks');
    expect(found).toMatchObject({ status: 'up', subscriber: 'alive', held: 1, waiting: 1, unconfirmed: 0 });
    expect(found['roundTrip']).toBeGreaterThan(0);
    // One machine has one clock.
    expect(Math.abs(Number(found['clockOffset']))).toBeLessThan(1000);
    expect(found['watchdogLate']).toBe(0);
    await held.unlock();
    await (await waiting).unlock();
    expect((await health.isHealthy('locks')).locks).toMatchObject({ status: 'up', held: 0, waiting: 0 });
  });

  test('is down with the reasons, and within its time, while Redis gives no answer; and up again when it does', async () => {
    await redis.pause();
    const asked = performance.now();
    const { locks: found } = await health.isHealthy('locks', { timeout: 150 });
    expect(performance.now() - asked).toBeLessThan(scaled(1000));
    expect(found).toMatchObject({
      status: 'down',
      subscriber: 'deaf',
      reasons: [
        'Redis does not answer: no answer within 150 ms',
        'the subscriber connection gets no answer: waiters poll',
      ],
    });
    await redis.resume();
    await until('it is up', async () => (await health.isHealthy('locks')).locks.status === 'up');
  });

  test.each([
    [
      'is full',
      /OOM/,
      () => admin.config('SET', 'maxmemory', '1'),
      () => admin.config('SET', 'maxmemory', '0'),
    ],
    [
      'is a read-only replica',
      /Redis does not answer/,
      () => admin.replicaof('127.0.0.1', 1),
      () => admin.replicaof('NO', 'ONE'),
    ],
    ['has too few replicas', /NOREPLICAS/, () => replicasToWrite(1), () => replicasToWrite(0)],
  ] as const)('is down while Redis grants no lock: it %s', async (_, why, begin, end) => {
    await begin();
    const down = async () => (await health.isHealthy('locks')).locks;
    try {
      await until('it is down', async () => (await down()).status === 'down');
      // A replica that was the master is left for another one: meanwhile nothing is known of it.
      await until('it says why', async () => why.test(String((await down())['reasons'])));
    } finally {
      await end();
    }
    await until('it is up', async () => (await health.isHealthy('locks')).locks.status === 'up');
    expect(await admin.keys('*probe*')).toEqual([]);
  });

  test('is down when it is worse than required', async () => {
    const { locks: slow } = await health.isHealthy('locks', { maxRoundTrip: 0 });
    expect(slow).toMatchObject({ status: 'down', subscriber: 'alive' });
    expect(String(slow['reasons'])).toContain('and the limit is 0 ms');
    const { locks: apart } = await health.isHealthy('locks', { maxClockOffset: 0 });
    expect(String(apart['reasons'])).toContain('the clock of Redis is');
  });

  test('refuses a bound that is none', async () => {
    await expect(health.isHealthy('locks', { timeout: 'soon' as '1s' })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
  });
});

@Module({})
class AppModule {
  static on(url: string) {
    return {
      module: AppModule,
      imports: [TerminusModule, DistributedLockModule.forRoot({ redis: url, shutdownTimeout: 200 })],
      providers: [DistributedLockHealthIndicator],
    };
  }
}
