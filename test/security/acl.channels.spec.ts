import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { startGuarded, type GuardedRedis } from './acl.line.js';

let redis: GuardedRedis;
/** Of the administrator. */
let holder: LockService;
/** Of the user of the docs. */
let service: LockService;

/** Opens both for the tests of the enclosing group. */
function openServices(options: LockModuleSettings): void {
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await startGuarded();
    const settings = readSettings({ shutdownTimeout: 200, ...options });
    [holder, service] = [
      await openLockService(settings, redis.adminUrl),
      await openLockService(settings, redis.url),
    ];
  });
  afterAll(async () => {
    await Promise.all([holder.shutDown(), service.shutDown()]);
    await redis.stop();
  });
}

describe('for a user that may not subscribe, as behind a proxy,', () => {
  openServices({});
  beforeAll(() => redis.admin.acl('SETUSER', 'locks', '-subscribe'));
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

/** Each kind whose waiters sleep until a message, as it is held by one instance and waited for by the other. */
const SLEEPERS = {
  're-entrant lock': (locks, name) => locks.getLock(name),
  'fair lock': (locks, name) => locks.getFairLock(name),
  'fenced lock': (locks, name) => locks.getFencedLock(name),
  'write lock': (locks, name) => locks.getReadWriteLock(name).writeLock(),
  'read lock': (locks, name) => locks.getReadWriteLock(name).readLock(),
} satisfies Record<string, (locks: LockService, name: string) => Lock>;

describe('for a user whose channels are taken away while it waits,', () => {
  openServices({ lockWatchdogTimeout: scaled(30_000) });
  beforeEach(() => redis.admin.acl('SETUSER', 'locks', 'allchannels'));

  test.each(Object.entries(SLEEPERS))(
    'the waiter of a %s does not sleep on without its subscription',
    async (kind, lockOf) => {
      const name = `channels:${kind}`;
      const held = kind === 'read lock' ? SLEEPERS['write lock'] : lockOf;
      const handle = await held(holder, name).lock();
      const waiter = lockOf(service, name).lock({ waitTime: scaled(20_000) });
      await until('it is subscribed', async () => {
        const channels = await redis.admin.pubsub('CHANNELS', `*${name}*`);
        return channels.length > 0;
      });
      // The answer to the request that follows the subscription.
      await lockOf(service, name).isLocked();
      // Redis cuts a connection that has a channel which its user may not have any more.
      await redis.admin.acl('SETUSER', 'locks', 'resetchannels');
      await until('it is not subscribed', async () => {
        const channels = await redis.admin.pubsub('CHANNELS', `*${name}*`);
        return channels.length === 0;
      });
      await handle.unlock();
      const released = performance.now();
      const grant = await waiter;
      expect(performance.now() - released).toBeLessThan(scaled(3000));
      await grant.unlock();
    },
  );
});
