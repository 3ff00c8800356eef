import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LockUnavailableError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { nothingLeft, openAcked, ReplicaStage, TIMEOUT } from './replica.stage.js';

let stage: ReplicaStage;
let services: Services;
let service: LockService;

beforeAll(async () => {
  stage = await ReplicaStage.start();
});

afterAll(async () => {
  await stage.stop();
});

beforeEach(async () => {
  services = stage.services();
  await stage.complete(services);
  service = await openAcked(services);
});

afterEach(async () => {
  await stage.resume();
  await services.close();
});

/** What is taken without waiting, and how it is given back. */
interface Taking {
  readonly kind: string;
  /** @returns what gives it back */
  readonly take: (service: LockService) => Promise<() => Promise<unknown>>;
  readonly prepare?: (service: LockService) => Promise<unknown>;
}

async function give(taken: Promise<{ unlock(): Promise<unknown> } | null>): Promise<() => Promise<unknown>> {
  const handle = await taken;
  if (handle === null) throw new Error('somebody else has it');
  return () => handle.unlock();
}

const TAKINGS: readonly Taking[] = [
  { kind: 'a lock', take: (of) => give(of.getLock('x').tryLock()) },
  { kind: 'a lock with a fixed lease', take: (of) => give(of.getLock('x').tryLock({ leaseTime: '5s' })) },
  { kind: 'a fair lock', take: (of) => give(of.getFairLock('x').tryLock()) },
  { kind: 'a fenced lock', take: (of) => give(of.getFencedLock('x').tryLock()) },
  { kind: 'a spin lock', take: (of) => give(of.getSpinLock('x').tryLock()) },
  { kind: 'a read lock', take: (of) => give(of.getReadWriteLock('x').readLock().tryLock()) },
  { kind: 'a write lock', take: (of) => give(of.getReadWriteLock('x').writeLock().tryLock()) },
  { kind: 'a multi-lock', take: (of) => give(of.getMultiLock('x', 'y').tryLock()) },
  {
    kind: 'a permit',
    prepare: (of) => of.getPermitExpirableSemaphore('x').trySetPermits(1),
    take: (of) => give(of.getPermitExpirableSemaphore('x').tryAcquire()),
  },
];

describe('a grant that waits for replicas', () => {
  test.each(TAKINGS)('$kind: counts once a replica has it, and is undone when none has', async (taking) => {
    await taking.prepare?.(service);
    const isFree = async () => (await (await taking.take(service))(), true);
    expect(await isFree()).toBe(true);
    await stage.pause();
    const began = performance.now();
    await expect(taking.take(service)).rejects.toMatchObject({
      name: 'LockUnavailableError',
      code: 'NOT_REPLICATED',
    });
    expect(performance.now() - began).toBeGreaterThanOrEqual(TIMEOUT - 5);
    expect(performance.now() - began).toBeLessThan(4 * TIMEOUT);
    // Nothing is left: not while they are away, and not when they are back.
    if (taking.prepare === undefined) await nothingLeft(services);
    await stage.resume();
    await expect.poll(() => isFree().catch(() => false), { timeout: scaled(5000) }).toBe(true);
    if (taking.prepare === undefined) await nothingLeft(services);
  });

  test('permits of a semaphore that no replica has are there again', async () => {
    const semaphore = service.getSemaphore('x');
    await semaphore.trySetPermits(3);
    expect(await semaphore.tryAcquire(2)).toBe(true);
    await semaphore.release(2);
    await stage.pause();
    await expect(semaphore.tryAcquire(2)).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await expect(semaphore.drainPermits()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await expect.poll(() => semaphore.availablePermits(), { timeout: scaled(5000) }).toBe(3);
    await expect(semaphore.acquire(2)).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await stage.resume();
    await expect.poll(() => semaphore.availablePermits(), { timeout: scaled(5000) }).toBe(3);
    await semaphore.acquire(3);
    expect(await semaphore.availablePermits()).toBe(0);
  });

  test('has an error that names how many replicas were needed, within which time, and what can be done', async () => {
    await stage.pause();
    const asked = performance.now();
    const error: unknown = await service
      .getLock('x')
      .tryLock()
      .catch((reason: unknown) => reason);
    expect(performance.now() - asked).toBeGreaterThan(TIMEOUT - 5);
    expect(performance.now() - asked).toBeLessThan(TIMEOUT + scaled(500));
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(String(error)).toContain(
      `The request for "x" was not granted: 0 of 1 required replicas acknowledged it within ${TIMEOUT} ms. The grant was undone.`,
    );
    const many = await openAcked(services, {}, 3);
    await stage.resume();
    await expect(many.getLock('x').tryLock()).rejects.toThrow('2 of 3 required replicas');
  });

  test('"busy" stays "busy" while replicas are away', async () => {
    const other = await openAcked(services);
    const held = await service.getLock('x').lock();
    await stage.pause();
    const asked = performance.now();
    expect(await other.getLock('x').tryLock()).toBeNull();
    // Whoever is refused waits for no replica.
    expect(performance.now() - asked).toBeLessThan(TIMEOUT);
    const [free, busy] = await Promise.allSettled([
      other.getLock('y').tryLock(),
      other.getLock('x').tryLock(),
    ]);
    expect(busy).toEqual({ status: 'fulfilled', value: null });
    expect(free).toMatchObject({ status: 'rejected', reason: { code: 'NOT_REPLICATED' } });
    expect(await held.unlock()).toBe('released');
    await nothingLeft(services);
  });

  test('is requested again until the bound of its waiter is over', async () => {
    await stage.pause();
    const began = performance.now();
    const waiting = service.getLock('x').tryLock({ waitTime: 8 * TIMEOUT });
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(8 * TIMEOUT - 5);
    await nothingLeft(services);
  });

  test.each(['getLock', 'getFairLock'] as const)(
    '%s: an unbounded waiter gets an error after the fifth attempt',
    async (kind) => {
      await stage.pause();
      const began = performance.now();
      await expect(service[kind]('x').lock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
      expect(performance.now() - began).toBeGreaterThanOrEqual(5 * TIMEOUT - 5);
      await nothingLeft(services);
    },
  );

  test('of an unbounded multi lock fails as well, and lets go of all', async () => {
    await stage.pause();
    await expect(service.getMultiLock('x', 'y').lock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await nothingLeft(services);
  });

  test('is made when the replicas are back in time', async () => {
    await stage.pause();
    const waiting = service.getLock('x').lock({ waitTime: scaled(8000) });
    await expect(service.getLock('z').tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await stage.resume();
    expect(await (await waiting).unlock()).toBe('released');
  });

  test('a re-entry that no replica has is undone, and its hold goes on', async () => {
    const lock = service.getLock('x');
    const counts = await lock.using(async () => {
      await stage.pause();
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
      await expect(lock.lock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
      await expect.poll(() => lock.getHoldCount(), { timeout: scaled(5000) }).toBe(1);
      await stage.resume();
      const again = await lock.lock();
      const count = await lock.getHoldCount();
      return [count, await again.unlock(), await lock.getHoldCount()];
    });
    expect(counts).toEqual([2, 'kept', 1]);
    await nothingLeft(services);
  });

  test('is no grant after a hand-off in Redis that no replica has', async () => {
    const lock = service.getFencedLock('x');
    const held = await lock.lock();
    const waiting = lock.tryLock({ waitTime: 6 * TIMEOUT });
    await stage.pause();
    expect(await held.unlock()).toBe('released');
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await nothingLeft(services);
    await stage.resume();
  });

  test('a master that stops in the middle of a wait costs its connection, and nothing else', async () => {
    const lock = service.getLock('x');
    await lock.using(() => undefined);
    await stage.pause();
    const asked = lock.tryLock();
    await until('it waits', async () => / cmd=wait/.test(String(await services.admin.client('LIST'))));
    await stage.master.pause();
    try {
      await expect(asked).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await stage.resume();
      // The connection is given up, and a new one cannot be made while nobody answers.
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      await stage.master.resume();
    }
    const handle = await lock.lock({ waitTime: scaled(5000) });
    expect(await handle.unlock()).toBe('released');
    await nothingLeft(services);
  });

  test('a tick that no replica has is not run before one has it', async () => {
    const run = (at: number) => service.runOnce('job', at, () => at);
    expect(await run(1)).toBe(1);
    await stage.pause();
    let isRun = false;
    const late = run(2).then((at) => {
      isRun = true;
      return at;
    });
    await expect(service.getLock('y').tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    expect(isRun).toBe(false);
    await stage.resume();
    expect(await late).toBe(2);
    expect(await run(3)).toBe(3);
  });

  test('a tick that no replica gets is given up, and its job goes on with the next one', async () => {
    await stage.pause();
    const claim = { mode: 'instant', tick: 4, patience: TIMEOUT } as const;
    await expect(service.ticks.claim('job', claim)).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
    await nothingLeft(services);
    await stage.resume();
    expect(await service.runOnce('job', 5, () => 5)).toBe(5);
  });
});
