import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { startGuarded, type GuardedRedis } from './acl.line.js';

describe('for a user that may not subscribe, as behind a proxy,', () => {
  let redis: GuardedRedis;
  let holder: LockService;
  let service: LockService;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await startGuarded();
    await redis.admin.acl('SETUSER', 'locks', '-subscribe');
    const settings = readSettings({ shutdownTimeout: 200 });
    [holder, service] = [
      await openLockService(settings, redis.adminUrl),
      await openLockService(settings, redis.url),
    ];
  });
  afterAll(async () => {
    await Promise.all([holder.shutDown(), service.shutDown()]);
    await redis.stop();
  });
  let lock: string;
  beforeEach(({ task }) => {
    lock = task.id;
  });

  test('what does not wait, and waiters of one process, are as ever', async () => {
    const handle = await service.getLock(lock).lock();
    expect(await service.getLock(lock).tryLock()).toBeNull();
    const waiter = service.getLock(lock).lock({ waitTime: scaled(5000) });
    expect(await handle.unlock()).toBe('released');
    expect(await (await waiter).unlock()).toBe('released');
    expect(await service.runOnce(lock, 1, () => 'ran')).toBe('ran');
  });

  test('a waiter of another process retries long before the lease ends', async () => {
    const handle = await holder.getLock(lock).lock();
    await redis.admin.acl('LOG', 'RESET');
    const waiter = service.getLock(lock).lock({ waitTime: scaled(10_000) });
    await until('the subscription was refused', async () => {
      const refusals: unknown = await redis.admin.acl('LOG');
      return Array.isArray(refusals) && refusals.length > 0;
    });
    // The question that follows the refused subscription was asked before this one.
    await service.getLock(lock).isLocked();
    await handle.unlock();
    const released = performance.now();
    const grant = await waiter;
    expect(performance.now() - released).toBeLessThan(scaled(3000));
    await grant.unlock();
  });

  test('a spin lock waits without a channel', async () => {
    const handle = await holder.getSpinLock(lock).lock();
    const waiter = service.getSpinLock(lock).lock({ waitTime: scaled(5000) });
    await handle.unlock();
    expect(await (await waiter).unlock()).toBe('released');
  });
});
