import { Logger } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockKinds } from '../../libs/distributed-lock/src/core/lock.kinds.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { describeExclusion } from '../locks/exclusion.suite.js';
import { describeForce } from '../locks/force.suite.js';
import { describeHandle } from '../locks/handle.suite.js';
import { RedisFleet, type LockSubject } from '../locks/lock.fleet.js';
import { describeReentry } from '../locks/reentry.suite.js';
import { describeScope } from '../locks/scope.suite.js';
import { describeSection } from '../locks/section.suite.js';
import { describeWaiters } from '../locks/waiters.suite.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import { startGuarded, type GuardedRedis } from './acl.line.js';

const PREFIX = 'lock:';

const KINDS: Readonly<Partial<Record<keyof LockKinds, (service: LockService, name: string) => Lock>>> = {
  reentrant: (service, name) => service.getLock(name),
  fair: (service, name) => service.getFairLock(name),
  fenced: (service, name) => service.getFencedLock(name),
  write: (service, name) => service.getReadWriteLock(name).writeLock(),
};

describe('under the least user of the docs, with the default user off,', () => {
  let redis: GuardedRedis;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await startGuarded();
  });
  afterAll(async () => {
    await redis.stop();
  });

  for (const [kind, lock] of Object.entries(KINDS)) {
    const subject: LockSubject = {
      open: (options) =>
        RedisFleet.open({ namePrefix: PREFIX, ...options }, redis.url, kind as keyof LockKinds, {
          admin: redis.adminUrl,
          prefix: PREFIX,
        }),
      lock,
      reentrant: true,
      fifo: kind !== 'write',
      turns: 100,
      leases: true,
    };
    describe(`a ${kind} lock`, () => {
      // What takes long is the same for every kind, as far as permissions go.
      if (kind === 'reentrant') describeExclusion(subject);
      describeScope(subject);
      describeReentry(subject);
      describeHandle(subject);
      describeSection(subject);
      if (kind !== 'fair') describeWaiters(subject);
      describeForce(subject);
    });
  }

  describe('what is no lock', () => {
    let service: LockService;
    beforeAll(async () => {
      service = await openLockService(readSettings({ shutdownTimeout: 200 }), redis.url);
    });
    afterAll(async () => {
      await service.shutDown();
      await redis.admin.flushall();
    });

    test('counts: both semaphores, and a latch', async () => {
      const semaphore = service.getSemaphore('printers');
      expect(await semaphore.trySetPermits(1)).toBe(true);
      await semaphore.acquire();
      expect(await semaphore.tryAcquire()).toBe(false);
      const waiting = semaphore.tryAcquire(1, { waitTime: '5s' });
      await semaphore.release();
      expect(await waiting).toBe(true);
      const permits = service.getPermitExpirableSemaphore('desks');
      await permits.trySetPermits(1);
      const permit = await permits.acquire();
      const next = permits.acquire({ waitTime: '5s' });
      expect(await permit.unlock()).toBe('released');
      expect(await (await next).unlock()).toBe('released');
      const latch = service.getCountDownLatch('ready');
      await latch.trySetCount(1);
      const open = latch.await({ waitTime: '5s' });
      await latch.countDown();
      expect(await open).toBe(true);
    });

    test('ticks: a job is registered, claimed, finished and looked up', async () => {
      await service.ticks.jobs.register(
        'nightly',
        'every night',
        instants(() => 500),
      );
      expect(await service.runOnce('nightly', 1000, () => 'run')).toBe('run');
      expect(await service.runOnce('nightly', 1000, () => 'again')).toBeUndefined();
      expect(await service.getRuns('nightly')).toMatchObject([{ tick: 1000, outcome: 'completed' }]);
      expect((await service.jobs.list()).map(({ job }) => job)).toContain('nightly');
    });

    test.each(['{tenant}:report', 'a{b', 'x}y', 'line\nbreak'])('takes names like %j', async (name) => {
      for (const lock of [service.getFencedLock(`fenced${name}`), service.getFairLock(`fair${name}`)]) {
        const held = await lock.lock();
        const waiting = lock.lock({ waitTime: '5s' });
        expect(await held.unlock()).toBe('released');
        expect(await (await waiting).unlock()).toBe('released');
      }
    });
  });

  test('nothing of all this was refused', async () => {
    expect(await redis.admin.acl('LOG', 10)).toEqual([]);
  });
});

test('the least user reaches no key and no channel but those of locks', async () => {
  const redis = await startGuarded();
  const settings = readSettings({ namePrefix: 'session:', shutdownTimeout: 200 });
  const service = await openLockService(settings, redis.url);
  try {
    await expect(service.getLock('7').tryLock()).rejects.toMatchObject({ code: 'REJECTED_BY_REDIS' });
    await expect(service.getSemaphore('8').addPermits(1)).rejects.toMatchObject({
      code: 'REJECTED_BY_REDIS',
    });
    expect(await redis.admin.keys('*')).toEqual([]);
    const user = new Redis(redis.url);
    await expect(user.subscribe('news')).rejects.toThrow('NOPERM');
    await expect(user.publish('news', 'x')).rejects.toThrow('NOPERM');
    for (const [command = '', ...args] of [
      ['KEYS', '*'],
      ['FLUSHALL'],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
      ['SCAN', '0'],
      ['CLIENT', 'LIST'],
      ['SCRIPT', 'FLUSH'],
    ])
      await expect(user.call(command, ...args), command).rejects.toThrow('NOPERM');
    user.disconnect();
  } finally {
    await service.shutDown();
    await redis.stop();
  }
});

test(
  'what a cluster needs beside that is in the second line of the docs',
  async () => {
    const redis = await startGuarded(2, {
      args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    });
    await redis.admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until('the cluster is whole', async () =>
      (await redis.admin.cluster('INFO')).includes('cluster_state:ok'),
    );
    const { username, password, port } = new URL(redis.url);
    const template = new Cluster([{ host: '127.0.0.1', port: Number(port) }], {
      redisOptions: { username, password },
      lazyConnect: true,
    });
    const open = async () => await openLockService(readSettings({ shutdownTimeout: 200 }), template);
    const [one, other] = await Promise.all([open(), open()]);
    try {
      for (const of of [
        (service: LockService) => service.getLock('x'),
        (service: LockService) => service.getFairLock('y'),
        (service: LockService) => service.getReadWriteLock('z').writeLock(),
      ]) {
        const held = await of(one).lock();
        const waiting = of(other).lock({ waitTime: '20s' });
        const channels = async () => (await redis.admin.call('PUBSUB', 'SHARDCHANNELS')) as string[];
        await until('somebody listens', async () => (await channels()).length > 0);
        await held.unlock();
        expect(await (await waiting).unlock()).toBe('released');
      }
      expect(await redis.admin.acl('LOG', 10)).toEqual([]);
    } finally {
      await Promise.all([one.shutDown(), other.shutDown()]);
      template.disconnect();
      await redis.stop();
    }
  },
  scaled(30_000),
);
