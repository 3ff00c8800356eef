import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HolderIds } from '../core/holder.ids.js';
import { instant, Lease } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';
import type { WaitRequest } from '../waiters/waiter.js';
import { canReuseHolder, HandoffPolicy } from './handoff.policy.js';

const T = 30_000;
const REQUEST: WaitRequest = { leaseTime: undefined, waitTime: 1000, signal: undefined, nested: false };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe('a series of hand-offs', () => {
  const count = (handOver: HandoffPolicy, waiting = 100) => {
    let made = 0;
    while (made < 1000 && handOver.takeNext(waiting)) made += 1;
    return made;
  };

  test.each([0, 1, 64])('has at most %i of them, and as many after the lock was in Redis again', (max) => {
    const handOver = new HandoffPolicy({ max, time: 10 });
    expect(count(handOver)).toBe(max);
    expect(handOver.takeNext(100)).toBe(false);
    handOver.begin();
    expect(count(handOver)).toBe(max);
  });

  test('has 64 while it is not known whether other processes wait', () => {
    expect(count(new HandoffPolicy({ max: 1000, time: 10 }))).toBe(64);
  });

  test('has as many as its maximum when no other process waits', () => {
    const handOver = new HandoffPolicy({ max: 500, time: 10 });
    handOver.noteOthers(false);
    expect(count(handOver)).toBe(500);
  });

  test.each([
    [100, 100],
    [3, 16],
    [2000, 500],
  ])(
    'serves the waiters that were queued when it began, when other processes wait: of %i, %i',
    (waiting, made) => {
      const handOver = new HandoffPolicy({ max: 500, time: 10 });
      handOver.noteOthers(true);
      expect(handOver.takeNext(waiting)).toBe(true);
      expect(1 + count(handOver, 1)).toBe(made);
    },
  );

  test('lasts no longer than its time, counted from the first of them', () => {
    const handOver = new HandoffPolicy({ max: 1000, time: 10 });
    pass(60_000);
    expect(handOver.takeNext(100)).toBe(true);
    pass(9);
    expect(handOver.takeNext(100)).toBe(true);
    pass(1);
    expect(handOver.takeNext(100)).toBe(false);
    handOver.begin();
    expect(handOver.takeNext(100)).toBe(true);
  });

  test('has none when its time is 0', () => {
    expect(new HandoffPolicy({ max: 64, time: 0 }).takeNext(100)).toBe(false);
  });
});

const LOCK = { key: 'key', renewer: { renew: () => undefined }, holderIds: new HolderIds() };

describe('a holder id', () => {
  const newLease = (ttl = T) => new Lease(LOCK, 'holder', ttl, instant());

  test('is reused between watchdog holds of a lease that is surely alive', () => {
    const lease = newLease();
    expect(canReuseHolder(lease, T, REQUEST)).toBe(true);
    lease.confirm(instant(), T);
    expect(canReuseHolder(lease, T, REQUEST)).toBe(true);
  });

  test('is not reused when the next waiter wants a lease of another length', () => {
    expect(canReuseHolder(newLease(), T, { ...REQUEST, leaseTime: 5000 })).toBe(false);
    expect(canReuseHolder(newLease(5000), T, { ...REQUEST, leaseTime: T })).toBe(false);
    expect(canReuseHolder(newLease(60_000), T, REQUEST)).toBe(false);
  });

  describe('with a fixed lease', () => {
    const wanted = { ...REQUEST, leaseTime: 5000 };

    test('is reused while nearly all of the lease is left', () => {
      const lease = newLease(5000);
      pass(50);
      expect(canReuseHolder(lease, T, wanted)).toBe(true);
      pass(1);
      expect(canReuseHolder(lease, T, wanted)).toBe(false);
    });

    test.each([0, 0.3, 0.95])('is reused until a hundredth of a short lease is over (%d ms)', (fraction) => {
      const at = now() + fraction;
      const lease = new Lease(LOCK, 'holder', 100, instant(at));
      const one = { ...REQUEST, leaseTime: 100 };
      expect(canReuseHolder(lease, T, one, at)).toBe(true);
      expect(canReuseHolder(lease, T, one, at + 1.01)).toBe(false);
    });

    test('is not reused after the lease was extended: it would outlast the requested one', () => {
      const lease = newLease(5000);
      lease.expect(5001);
      expect(canReuseHolder(lease, T, wanted)).toBe(false);
    });

    test('is not reused after the lease was shortened', () => {
      const lease = newLease(5000);
      lease.cap(instant(), 2000);
      expect(canReuseHolder(lease, T, wanted)).toBe(false);
    });
  });

  test('is not reused when the lease is unknown, lost or doubtful', () => {
    const unknown = newLease();
    unknown.doubt();
    expect(canReuseHolder(unknown, T, REQUEST)).toBe(false);
    const lost = newLease();
    lost.lose();
    expect(canReuseHolder(lost, T, REQUEST)).toBe(false);
    const doubtful = newLease();
    vi.setSystemTime(Date.now() + 60_000);
    expect(canReuseHolder(doubtful, T, REQUEST)).toBe(false);
  });

  test('is not reused when more of the lease is left than the next waiter wants', () => {
    const lease = newLease();
    lease.confirm(instant(), 2 * T);
    expect(canReuseHolder(lease, T, REQUEST)).toBe(false);
  });

  test('is not reused when less than half of the lease is left', () => {
    const lease = newLease();
    pass(T / 2 - 1501);
    expect(canReuseHolder(lease, T, REQUEST)).toBe(true);
    pass(2);
    expect(canReuseHolder(lease, T, REQUEST)).toBe(false);
  });
});
