import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockKinds } from '../../libs/distributed-lock/src/core/lock.kinds.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

/** The lease of the watchdog, in ms: several renewals fit into a test. */
const T = scaled(600);
const X = 'x';

/** Something that is held. */
interface Held {
  isHeld(): boolean;
  /** @returns what came of its release */
  release(): Promise<unknown>;
}

const by =
  (lockOf: (locks: LockService) => Lock) =>
  async (locks: LockService): Promise<Held> => {
    const handle = await lockOf(locks).lock();
    return { isHeld: () => handle.isHeld, release: () => handle.unlock() };
  };

/** How each kind is held; a kind without an entry does not compile. */
const HOLD: Readonly<Record<keyof LockKinds, (locks: LockService) => Promise<Held>>> = {
  reentrant: by((locks) => locks.getLock(X)),
  nonReentrant: by((locks) => locks.getNonReentrantLock(X)),
  spin: by((locks) => locks.getSpinLock(X)),
  fenced: by((locks) => locks.getFencedLock(X)),
  fair: by((locks) => locks.getFairLock(X)),
  nonReentrantFair: by((locks) => locks.getNonReentrantFairLock(X)),
  read: by((locks) => locks.getReadWriteLock(X).readLock()),
  write: by((locks) => locks.getReadWriteLock(X).writeLock()),
  async permit(locks) {
    const semaphore = locks.getPermitExpirableSemaphore(X);
    await semaphore.trySetPermits(1);
    const handle = await semaphore.acquire();
    return { isHeld: () => handle.isHeld, release: () => handle.unlock() };
  },
  async leader(locks) {
    const election = locks.elect(X);
    await until('it is elected', () => election.isLeader);
    return {
      isHeld: () => election.isLeader,
      async release() {
        await election.stop();
        return (await locks.getFencedLock(X).isLocked()) ? 'held on' : 'released';
      },
    };
  },
};

describe('on a server that is out of memory', () => {
  let server: RunningRedis;
  let services: Services;
  let locks: LockService;
  beforeEach(async () => {
    server = await startRedis();
    services = new Services(server.url);
    locks = await services.open({ lockWatchdogTimeout: T });
  });
  afterEach(async () => {
    await services.close();
    await server.stop();
  });

  const fill = () => services.admin.config('SET', 'maxmemory', '1');
  const empty = () => services.admin.config('SET', 'maxmemory', '0');

  test.each(Object.entries(HOLD))(
    'a hold of kind %s is renewed, and can be released',
    async (_kind, hold) => {
      const held = await hold(locks);
      await fill();
      await sleep(2.5 * T);
      expect(held.isHeld()).toBe(true);
      expect(await held.release()).toBe('released');
    },
  );

  test('a permit can be given a longer lease and a shorter one', async () => {
    const semaphore = locks.getPermitExpirableSemaphore(X);
    await semaphore.trySetPermits(1);
    const { holder } = await semaphore.acquire();
    await fill();
    expect(await semaphore.updateLeaseTime(holder, '20s')).toBe(true);
    expect(await semaphore.getLeaseTime(holder)).toBeGreaterThan(15_000);
    expect(await semaphore.updateLeaseTime(holder, '10s')).toBe(true);
    expect(await semaphore.getLeaseTime(holder)).toBeLessThanOrEqual(10_000);
    expect(await semaphore.tryRelease(holder)).toBe(true);
  });

  test('permits of a plain semaphore are given back, and a latch is counted down', async () => {
    const semaphore = locks.getSemaphore(X);
    await semaphore.trySetPermits(2);
    await semaphore.acquire(2);
    const latch = locks.getCountDownLatch('y');
    await latch.trySetCount(2);
    await fill();
    await semaphore.release(2);
    expect(await semaphore.availablePermits()).toBe(2);
    await latch.countDown();
    await latch.countDown();
    expect(await latch.getCount()).toBe(0);
  });

  test('a run of a job goes on under its lock, and its end is stored', async () => {
    const running = locks.runOnce(X, Date.now(), async () => {
      await fill();
      await sleep(2.5 * T);
      return 'done';
    });
    expect(await running).toBe('done');
    expect(await locks.getRuns(X)).toMatchObject([{ outcome: 'completed' }]);
  });

  test.each([
    ['a lock', (service: LockService) => service.getLock(X)],
    ['a multi lock', (service: LockService) => service.getMultiLock(X, 'y')],
  ])('a caller waits for %s until there is memory again', async (_what, lockOf) => {
    await fill();
    const used = lockOf(locks).using(() => 'done', { waitTime: scaled(10_000) });
    await Promise.race([used, sleep(300)]);
    await empty();
    expect(await used).toBe('done');
  });

  test('a multi lock that waits in vain says why', async () => {
    await fill();
    const used = locks.getMultiLock(X, 'y').using(() => undefined, { waitTime: 200 });
    await expect(used).rejects.toMatchObject({ code: 'REJECTED_BY_REDIS' });
  });

  test('a candidate campaigns on, and leads as soon as there is memory again', async () => {
    const failures: unknown[] = [];
    locks.engine.context.notices.listen((notice) => {
      if (notice.kind === 'campaign-failed') failures.push(notice);
    });
    await fill();
    const election = locks.elect(X);
    await sleep(300);
    await empty();
    await until('it leads', () => election.isLeader);
    expect(failures).toEqual([]);
  });
});
