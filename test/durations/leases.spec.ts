import { once } from 'node:events';
import type { INestApplication } from '@nestjs/common';
import type { LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { AppStage, type ModuleName } from './app.stage.js';
import { work } from './guarded.parts.js';
import { CONTROL_LEASES, LEASE, LOCK_LEASES, PERMIT_LEASES } from './lease.doors.js';

let stage: AppStage;
beforeEach(() => {
  stage = new AppStage();
});
afterEach(() => stage.close());

type LeaseDoor = (typeof LOCK_LEASES)[string];

interface Held {
  isTaken(locks: LockService): Promise<boolean>;
  next(locks: LockService): Promise<{ unlock(): Promise<unknown> }>;
}

const LOCK: Held = {
  isTaken: (locks) => locks.getLock('x').isLocked(),
  next: (locks) => locks.getLock('x').lock({ waitTime: '20s' }),
};

const PERMIT: Held = {
  isTaken: async (locks) => (await locks.getPermitExpirableSemaphore('p').availablePermits()) === 0,
  next: (locks) => locks.getPermitExpirableSemaphore('p').acquire({ waitTime: '20s' }),
};

/** A waiter of another process gets what is held when the lease is over, which began with the call. */
async function expectLease(module: ModuleName, held: Held, door: LeaseDoor): Promise<void> {
  const other = await stage.other(module);
  const app: INestApplication = await stage.open(module, {}, { leaseTime: LEASE });
  const over = new AbortController();
  work.ends = async () => void (await once(over.signal, 'abort'));
  await other.getPermitExpirableSemaphore('p').trySetPermits(1);
  const call = await door(app);
  const start = performance.now();
  const called = Promise.allSettled([call()]);
  await until('it is held', () => held.isTaken(other));
  const next = await held.next(other);
  const lasted = performance.now() - start;
  over.abort();
  await called;
  await next.unlock();
  await other.getPermitExpirableSemaphore('p').delete();
  expect(lasted).toBeGreaterThan(LEASE - 5);
  expect(lasted).toBeLessThan(LEASE + scaled(400));
}

describe('a lease lasts from the call that requests it', () => {
  test.each(Object.entries(LOCK_LEASES))('%s', async (_, door) => {
    await expectLease('DistributedLockModule', LOCK, door);
  });

  test.each(Object.entries(PERMIT_LEASES))('%s', async (_, door) => {
    await expectLease('DistributedLockModule', PERMIT, door);
  });

  test.each(Object.entries(CONTROL_LEASES))('%s', async (_, door) => {
    await expectLease('DistributedLockTestingModule', LOCK, door);
  });

  test('the life of a semaphore as well: Semaphore.trySetPermits(timeToLive)', async () => {
    const locks = await stage.other('DistributedLockModule');
    const semaphore = locks.getSemaphore('s');
    const start = performance.now();
    await semaphore.trySetPermits(1, LEASE);
    await until('it is gone', async () => (await semaphore.availablePermits()) === 0);
    expect(performance.now() - start).toBeGreaterThan(LEASE - 5);
    expect(performance.now() - start).toBeLessThan(LEASE + scaled(400));
  });
});
