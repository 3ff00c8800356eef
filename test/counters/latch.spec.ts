import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CountDownLatch } from '../../libs/distributed-lock/src/contracts/latch.contract.js';
import {
  latchCountDown,
  latchInspect,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { latchChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { callsOf, CounterFleet, cutAfter, cutBefore } from './counter.fleet.js';

const name = 'l';
let fleet: CounterFleet;
let one: LockService;
let ours: CountDownLatch;
let theirs: CountDownLatch;
beforeEach(async () => {
  fleet = new CounterFleet();
  const [first, other] = await Promise.all([fleet.open(), fleet.open()]);
  one = first;
  ours = first.getCountDownLatch(name);
  theirs = other.getCountDownLatch(name);
});
afterEach(() => fleet.close());

const channel = () => latchChannel(fleet.key(name));
const asleep = (count: number) => fleet.asleep(count, name, channel());

describe('a latch', () => {
  test('is open without a count', async () => {
    expect(await ours.getCount()).toBe(0);
    expect(await ours.await()).toBe(true);
    expect(await ours.await({ waitTime: 0 })).toBe(true);
    await ours.countDown();
    await fleet.expectNothingLeft();
  });

  test('is closed once, and opens when any processes have counted it down', async () => {
    expect(await ours.trySetCount(3)).toBe(true);
    expect(await theirs.trySetCount(1)).toBe(false);
    await Promise.all([ours.countDown(), theirs.countDown()]);
    expect(await ours.getCount()).toBe(1);
    expect(await fleet.redis.get(fleet.key(name))).toBe('1');
    await theirs.countDown();
    expect(await ours.getCount()).toBe(0);
    expect(await ours.trySetCount(1)).toBe(true);
    expect(await theirs.delete()).toBe(true);
    expect(await theirs.delete()).toBe(false);
    await fleet.expectNothingLeft();
  });
});

describe('waiters of a latch', () => {
  test('all go on at the last countdown, in every process', async () => {
    const wire = await fleet.proxy();
    const crowd = (await fleet.open({}, wire)).getCountDownLatch(name);
    await ours.trySetCount(2);
    const looks = callsOf(wire, latchInspect);
    const waiting = [crowd, ours, theirs].flatMap((latch) =>
      Array.from({ length: 100 }, () => latch.await()),
    );
    await asleep(3);
    await ours.countDown();
    const opened = performance.now();
    await theirs.countDown();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
    expect(performance.now() - opened).toBeLessThan(scaled(200));
    // A hundred waiters look as often as one: at once, after the subscription, after the message.
    expect(looks()).toBeLessThanOrEqual(3);
    await fleet.expectNothingLeft();
  });

  test('go on when the latch is deleted', async () => {
    await ours.trySetCount(2);
    const waiting = [ours.await(), theirs.await()];
    await asleep(2);
    await theirs.delete();
    expect(await Promise.all(waiting)).toEqual([true, true]);
    await fleet.expectNothingLeft();
  });

  test('check again at any message, as Redisson sends it, and sleep on while the latch is closed', async () => {
    await fleet.redis.set(fleet.key(name), '2');
    const waiting = ours.await();
    await asleep(1);
    await fleet.redis.publish(channel(), '1');
    await fleet.redis.publish(channel(), '0');
    const late = ours.await({ waitTime: 60 });
    expect(await late).toBe(false);
    await fleet.redis.del(fleet.key(name));
    await fleet.redis.publish(channel(), '0');
    expect(await waiting).toBe(true);
  });

  test('get an error when their time is over, and leave nothing behind', async () => {
    await ours.trySetCount(1);
    const start = performance.now();
    expect(await ours.await({ waitTime: 0 })).toBe(false);
    expect(await ours.await({ waitTime: 60 })).toBe(false);
    expect(performance.now() - start).toBeGreaterThan(59);
    expect(performance.now() - start).toBeLessThan(scaled(250));
    await fleet.expectNothingLeft(name);
  });

  test('leave at their signal, with its reason', async () => {
    await ours.trySetCount(1);
    const abort = new AbortController();
    const { signal } = abort;
    const waiting = [ours.await({ signal }), ours.await({ signal })];
    await asleep(1);
    abort.abort('left');
    for (const result of await Promise.allSettled(waiting)) {
      expect(result).toEqual({ status: 'rejected', reason: 'left' });
    }
    await expect(ours.await({ signal })).rejects.toBe('left');
    await fleet.expectNothingLeft(name);
  });

  test('that come when it is closed again wait for its next end', async () => {
    await ours.trySetCount(1);
    const first = theirs.await();
    await asleep(1);
    await ours.countDown();
    expect(await first).toBe(true);
    await ours.trySetCount(1);
    expect(await theirs.await({ waitTime: 30 })).toBe(false);
    const next = theirs.await();
    await asleep(1);
    await ours.countDown();
    expect(await next).toBe(true);
    await fleet.expectNothingLeft();
  });
});

describe('a connection that dies', () => {
  test.each([
    ['before', cutBefore],
    ['after', cutAfter],
  ])('%s a countdown ran counts once', async (_when, ambush) => {
    const wire = await fleet.proxy();
    const cut = (await fleet.open({}, wire)).getCountDownLatch(name);
    await ours.trySetCount(3);
    const died = ambush(wire, latchCountDown);
    await cut.countDown();
    await died;
    expect(await ours.getCount()).toBe(2);
    await fleet.expectNothingLeft(name);
  });

  test('under a waiter wakes it once it is back: the message may have been lost', async () => {
    const wire = await fleet.proxy();
    const cut = (await fleet.open({}, wire)).getCountDownLatch(name);
    await ours.trySetCount(1);
    const waiting = cut.await();
    await asleep(1);
    wire.refuse();
    await ours.countDown();
    wire.restore();
    expect(await waiting).toBe(true);
    await fleet.expectNothingLeft();
  });

  test('is not taken for a closed latch, and does not keep a caller longer than its waitTime', async () => {
    const wire = await fleet.proxy();
    const service = await fleet.open({ commandTimeout: 300 }, wire);
    const cut = service.getCountDownLatch(name);
    const notices = fleet.notices(service);
    await ours.trySetCount(1);
    wire.blackHole();
    const start = performance.now();
    await expect(cut.await({ waitTime: 100 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(performance.now() - start).toBeLessThan(scaled(250));
    await expect(cut.await({ waitTime: 0 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(cut.countDown()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const delays = notices.filter(({ kind }) => kind === 'call-delayed');
    expect(delays).toMatchObject([{ kind: 'call-delayed', lock: name, what: 'countdown' }]);
    wire.restore();
    await until('it is counted down at last', async () => (await ours.getCount()) === 0);
    await fleet.expectNothingLeft();
  });
});

test('a key of another type is named', async () => {
  await fleet.redis.hset(fleet.key(name), 'field', 'value');
  const calls = [
    ours.await(),
    ours.await({ waitTime: 0 }),
    ours.countDown(),
    ours.getCount(),
    ours.trySetCount(1),
    ours.delete(),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: 'rejected', reason: { code: 'WRONG_TYPE', lock: name } });
  }
});

test('what cannot work is refused before anything is sent', async () => {
  const refused = { code: 'INVALID_OPTION', lock: name };
  for (const count of [0, -1, 1.5, NaN, Infinity, '1']) {
    await expect(ours.trySetCount(count as never)).rejects.toMatchObject(refused);
  }
  await expect(ours.await({ waitTime: -1 })).rejects.toMatchObject(refused);
  await expect(ours.await({ signal: {} as never })).rejects.toMatchObject(refused);
  expect(() => one.getSemaphore(name)).toThrow(/is a count-down latch in this application/);
  await fleet.expectNothingLeft();
});
