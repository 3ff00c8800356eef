import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Semaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import {
  semaphoreAcquire,
  semaphoreWait,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { semaphoreChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { Gate } from '../locks/gate.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { callsOf, CounterFleet } from './counter.fleet.js';

const name = 's';
let fleet: CounterFleet;
let ours: Semaphore;
let theirs: Semaphore;
beforeEach(async () => {
  fleet = new CounterFleet();
  const [first, other] = await Promise.all([fleet.open(), fleet.open()]);
  ours = first.getSemaphore(name);
  theirs = other.getSemaphore(name);
});
afterEach(() => fleet.close());

describe('permits', () => {
  test('are there once they are set, and set once', async () => {
    expect(await ours.tryAcquire()).toBe(false);
    expect(await ours.availablePermits()).toBe(0);
    expect(await ours.trySetPermits(3)).toBe(true);
    expect(await theirs.trySetPermits(5)).toBe(false);
    expect(await theirs.availablePermits()).toBe(3);
    expect(await fleet.redis.get(fleet.key(name))).toBe('3');
    await fleet.expectNothingLeft(name);
  });

  test('are taken and given back by any process, one or several at once', async () => {
    await ours.trySetPermits(3);
    await ours.acquire(2);
    expect(await theirs.tryAcquire(2)).toBe(false);
    expect(await theirs.tryAcquire()).toBe(true);
    expect(await theirs.availablePermits()).toBe(0);
    await theirs.release(3);
    expect(await ours.availablePermits()).toBe(3);
    await fleet.expectNothingLeft(name);
  });

  test('end with the life of their semaphore', async () => {
    expect(await ours.trySetPermits(1, 50)).toBe(true);
    await until('the semaphore is gone', async () => (await fleet.redis.exists(fleet.key(name))) === 0);
    expect(await ours.tryAcquire()).toBe(false);
    expect(await ours.releaseIfExists()).toBe(false);
    await ours.release();
    expect(await ours.releaseIfExists()).toBe(true);
    expect(await ours.availablePermits()).toBe(2);
  });

  test('can be drained, added, and taken away below 0', async () => {
    await ours.trySetPermits(3);
    expect(await theirs.drainPermits()).toBe(3);
    expect(await theirs.drainPermits()).toBe(0);
    await ours.addPermits(5);
    await ours.addPermits(-7);
    expect(await ours.availablePermits()).toBe(-2);
    expect(await ours.tryAcquire()).toBe(false);
    expect(await ours.delete()).toBe(true);
    expect(await ours.delete()).toBe(false);
    await fleet.expectNothingLeft();
  });
});

describe('using', () => {
  test('has the result of its work, and no rejection besides, where the release is refused', async () => {
    await ours.trySetPermits(3);
    const result = await ours.using(async () => {
      await fleet.redis.set(fleet.key(name), 'no number');
      return 'done';
    });
    expect(result).toBe('done');
    await theirs.delete().catch(() => fleet.redis.del(fleet.key(name)));
    await fleet.expectNothingLeft();
  });

  test.each([
    ['whose time is over', 50, async () => undefined],
    ['that is deleted', 0, async () => void (await theirs.delete())],
    ['that Redis loses', 0, async () => void (await fleet.redis.del(fleet.key(name)))],
  ])('gives nothing back to a semaphore %s while the work runs', async (_, life, end) => {
    await ours.trySetPermits(3, life === 0 ? undefined : life);
    await ours.using(
      async () => {
        await end();
        await until('it is gone', async () => (await fleet.redis.exists(fleet.key(name))) === 0);
      },
      { permits: 2 },
    );
    expect(await fleet.redis.exists(fleet.key(name))).toBe(0);
    expect(await theirs.trySetPermits(3)).toBe(true);
    await fleet.expectNothingLeft(name);
  });

  test('runs work under its permits, and gives them back whatever becomes of it', async () => {
    await ours.trySetPermits(3);
    const seen = await ours.using(async (taken) => ({ ...taken, left: await theirs.availablePermits() }), {
      permits: 2,
    });
    expect(seen).toMatchObject({ permits: 2, left: 1 });
    await expect(ours.using(() => Promise.reject(new Error('the work failed')))).rejects.toThrow(
      'the work failed',
    );
    expect(await ours.availablePermits()).toBe(3);
    await expect(ours.using(() => 0, { permits: 4, waitTime: 20 })).rejects.toMatchObject({
      code: 'NOT_ACQUIRED',
    });
    await fleet.expectNothingLeft(name);
  });
});

describe('a waiter', () => {
  test('is woken by a release of another process', async () => {
    await ours.trySetPermits(1);
    await ours.acquire();
    const waiting = theirs.acquire();
    await fleet.asleep(1, name);
    const released = performance.now();
    await ours.release();
    await waiting;
    expect(performance.now() - released).toBeLessThan(scaled(200));
    await theirs.release();
    await fleet.expectNothingLeft(name);
  });

  test.each([
    ['trySetPermits', (semaphore: Semaphore) => semaphore.trySetPermits(1)],
    ['addPermits', (semaphore: Semaphore) => semaphore.addPermits(1)],
  ])('is woken by %s', async (_how, give) => {
    const waiting = theirs.acquire();
    await fleet.asleep(1, name);
    await give(ours);
    await waiting;
    expect(await ours.availablePermits()).toBe(0);
  });

  test('is woken by a message as Redisson sends it, and sleeps through others', async () => {
    const wire = await fleet.proxy();
    const listener = (await fleet.open({}, wire)).getSemaphore(name);
    await ours.trySetPermits(0);
    const calls = callsOf(wire, semaphoreAcquire, semaphoreWait);
    const waiting = listener.acquire(2);
    await fleet.asleep(1, name);
    await until('the contender sleeps', () => calls() === 2);
    for (const payload of ['0', '-1', 'x'])
      await fleet.redis.publish(semaphoreChannel(fleet.key(name)), payload);
    expect(await listener.tryAcquire(1, { waitTime: 60 })).toBe(false);
    expect(calls()).toBe(2);
    await fleet.redis.incrby(fleet.key(name), 2);
    await fleet.redis.publish(semaphoreChannel(fleet.key(name)), '2');
    await waiting;
    expect(calls()).toBe(3);
    expect(await fleet.redis.get(fleet.key(name))).toBe('0');
  });

  test('gets an error when its time is over, and leaves nothing behind', async () => {
    await ours.trySetPermits(1);
    const start = performance.now();
    await expect(ours.acquire(2, { waitTime: 60 })).rejects.toMatchObject({
      name: 'LockNotAcquiredError',
      code: 'NOT_ACQUIRED',
      lock: name,
    });
    expect(performance.now() - start).toBeGreaterThan(59);
    expect(await theirs.tryAcquire(2, { waitTime: 20 })).toBe(false);
    expect(performance.now() - start).toBeLessThan(scaled(300));
    await fleet.expectNothingLeft(name);
    expect(await fleet.echoes()).toEqual([]);
  });

  test('leaves at its signal, with its reason', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const waiting = ours.acquire(1, { signal });
    await fleet.asleep(1, name);
    abort.abort('left');
    await expect(waiting).rejects.toBe('left');
    await expect(ours.acquire(1, { signal })).rejects.toBe('left');
    await expect(ours.tryAcquire(1, { signal })).rejects.toBe('left');
    await fleet.expectNothingLeft();
  });

  test('gets its permits when the one before it, which needs more, gives up', async () => {
    await theirs.trySetPermits(1);
    const big = ours.acquire(2, { waitTime: 300 });
    const small = ours.tryAcquire(1, { waitTime: scaled(5000) });
    await expect(big).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
    const start = performance.now();
    expect(await small).toBe(true);
    expect(performance.now() - start).toBeLessThan(scaled(1000));
  });

  test('gets its permits in the order of its process, a big wish included', async () => {
    await ours.trySetPermits(0);
    const order: number[] = [];
    const wishes = [1, 3, 1, 2, 1];
    const waiting = wishes.map(async (permits, index) => {
      await ours.acquire(permits);
      order.push(index);
    });
    await fleet.asleep(1, name);
    await theirs.release(3);
    await until('the first is in', () => order.length === 1);
    // Two are left: enough for the third, but the second one stands in front of it.
    expect(await theirs.availablePermits()).toBe(2);
    await theirs.release(1);
    await until('the second is in', () => order.length === 2);
    await theirs.release(4);
    await Promise.all(waiting);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(await theirs.availablePermits()).toBe(0);
    await fleet.expectNothingLeft(name);
  });

  test('is refused when too many of its process wait already', async () => {
    const small = await fleet.open({ maxWaiters: 1 });
    const first = small.getSemaphore(name).acquire(1, { waitTime: 200 });
    const second = small.getSemaphore(name).tryAcquire(1, { waitTime: 200 });
    await expect(second).rejects.toMatchObject({ code: 'TOO_MANY_WAITERS' });
    await expect(first).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
  });
});

describe('300 waiters of one process', () => {
  test('cost Redis what one costs, and are granted together', async () => {
    const wire = await fleet.proxy();
    const crowd = (await fleet.open({}, wire)).getSemaphore(name);
    await ours.trySetPermits(0);
    const calls = callsOf(wire, semaphoreAcquire, semaphoreWait);
    const waiting = Promise.all(Array.from({ length: 300 }, () => crowd.acquire()));
    await fleet.asleep(1, name);
    await until('the contender sleeps', () => calls() === 2);
    await ours.release();
    await until('it found that there was one permit', () => calls() === 4);
    await ours.release(299);
    await waiting;
    // One for the first waiter, one for all that there is room for.
    expect(calls()).toBeLessThanOrEqual(6);
    expect(await ours.availablePermits()).toBe(0);
    await fleet.expectNothingLeft(name);
  });
});

test('a waiter gets what is left for it when another process was faster for the waiters behind it', async () => {
  const wire = await fleet.proxy();
  const crowd = (await fleet.open({}, wire)).getSemaphore(name);
  await ours.trySetPermits(0);
  const granted: number[] = [];
  const waiting = Array.from({ length: 3 }, (_, index) => crowd.acquire().then(() => granted.push(index)));
  await fleet.asleep(1, name);
  const [both, taken] = [new Gate(), new Gate()];
  wire.judge(({ words }) => {
    // Behind four keys and the place: the permits of both of the waiters who are left, at once.
    if (words[1] !== semaphoreAcquire.sha1 || words[8] !== '2') return 'pass';
    both.open();
    return { before: taken.opened };
  });
  await ours.release(4);
  await both.opened;
  expect(await theirs.tryAcquire(2)).toBe(true);
  taken.open();
  await until('the second is in', () => granted.length === 2);
  expect(await ours.availablePermits()).toBe(0);
  await ours.release();
  await Promise.all(waiting);
  expect(granted).toEqual([0, 1, 2]);
  await fleet.expectNothingLeft(name);
});

test('the permits of a semaphore bound the work that runs, and in the end all are back', async () => {
  const permits = 4;
  await ours.trySetPermits(permits);
  let running = 0;
  let most = 0;
  const work = (semaphore: Semaphore, wanted: number) =>
    semaphore.using(
      async () => {
        running += wanted;
        most = Math.max(most, running);
        await theirs.availablePermits();
        running -= wanted;
      },
      { permits: wanted },
    );
  const all = Array.from({ length: 200 }, (_, i) => work(i % 2 === 0 ? ours : theirs, 1 + (i % 3)));
  await Promise.all(all);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(permits);
  expect(await ours.availablePermits()).toBe(permits);
  await fleet.expectNothingLeft(name);
  expect(await fleet.echoes()).toEqual([]);
});
