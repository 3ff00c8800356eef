import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** The watchdog's lease in these tests, in ms. */
const T = scaled(1200);

/** Leases of one holder, one inside the other: none shortens another, and each ends by itself. */
export function describeReentryLease(subject: LockSubject): void {
  describe('the lease of a re-entry', () => {
    const fleet = fleetOf(subject, { lockWatchdogTimeout: T });
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');
    const ttl = () => other().remainTimeToLive();

    test('never shortens the one around it, and ends by itself', async () => {
      const outer = await one().lock({ leaseTime: '20s' });
      const inner = await outer.run(() => one().lock({ leaseTime: 300 }));
      expect(await ttl()).toBeGreaterThan(15_000);
      await until('the inner one is over', () => inner.signal.aborted);
      expect(inner.isHeld).toBe(false);
      expect([outer.isHeld, outer.signal.aborted]).toEqual([true, false]);
      expect(await inner.unlock()).toBe('lost');
      expect(await ttl()).toBeGreaterThan(15_000);
      expect(await outer.unlock()).toBe('released');
      expect(await other().isLocked()).toBe(false);
    });

    test('gives back to the one around it no more than that had', async () => {
      const outer = await one().lock({ leaseTime: 800 });
      const granted = performance.now();
      const inner = await outer.run(() => one().lock({ leaseTime: '20s' }));
      expect(await ttl()).toBeGreaterThan(15_000);
      await until('half of the outer one is over', () => performance.now() > granted + 400);
      expect(await inner.unlock()).toBe('kept');
      expect(await ttl()).toBeLessThanOrEqual(410);
      expect(outer.isHeld).toBe(true);
      const next = await other().lock();
      expect(outer.isHeld).toBe(false);
      expect(performance.now() - granted).toBeLessThan(800 + scaled(300));
      expect(await outer.unlock()).toBe('lost');
      await next.unlock();
    });

    test('that is extended by less than it has does not shorten what a partial unlock leaves', async () => {
      const outer = await one().lock({ leaseTime: '20s' });
      expect(await outer.extend('500ms')).toBe(true);
      const inner = await outer.run(() => one().lock());
      expect(await inner.unlock()).toBe('kept');
      expect(await ttl()).toBeGreaterThan(15_000);
      expect(outer.isHeld).toBe(true);
      expect(await outer.unlock()).toBe('released');
    });

    test('that ended by itself is not counted for the next waiter of the service', async () => {
      const outer = await one().lock();
      const inner = await outer.run(() => one().lock({ leaseTime: 150 }));
      const waiting = one().lock();
      await until('the inner one is over', () => inner.signal.aborted);
      expect(await outer.unlock()).toBe('released');
      const next = await waiting;
      expect(await next.run(() => one().getHoldCount())).toBe(1);
      expect(await next.unlock()).toBe('released');
    });

    test('of the watchdog outlives a fixed one around it', async () => {
      const outer = await one().lock({ leaseTime: 400 });
      const inner = await outer.run(() => one().lock());
      await until('the outer one is over', () => outer.signal.aborted);
      expect(inner.isHeld).toBe(true);
      const end = performance.now() + T;
      await until('a whole lease is over', () => performance.now() > end);
      expect(inner.isHeld).toBe(true);
      expect(await ttl()).toBeGreaterThan(T / 2);
      expect(await outer.unlock()).toBe('lost');
      expect(await inner.unlock()).toBe('released');
      expect(await other().isLocked()).toBe(false);
    });

    test('of the watchdog ends with its unlock, and the fixed one around it runs out in its time', async () => {
      const start = performance.now();
      const outer = await one().lock({ leaseTime: 2 * T });
      const inner = await outer.run(() => one().lock());
      expect(await inner.unlock()).toBe('kept');
      const next = await other().lock();
      expect(performance.now() - start).toBeGreaterThan(2 * T - 5);
      expect(performance.now() - start).toBeLessThan(2 * T + scaled(300));
      expect(await outer.unlock()).toBe('lost');
      await next.unlock();
    });

    test('with a fixed length leaves the watchdog one around it with its own lease, renewed', async () => {
      const outer = await one().lock();
      const inner = await outer.run(() => one().lock({ leaseTime: '20s' }));
      expect(await ttl()).toBeGreaterThan(15_000);
      expect(await inner.unlock()).toBe('kept');
      expect(await ttl()).toBeLessThanOrEqual(T);
      const end = performance.now() + 1.5 * T;
      await until('a lease is over', () => performance.now() > end);
      expect(await ttl()).toBeGreaterThan(T / 2);
      expect(outer.isHeld).toBe(true);
      expect(await outer.unlock()).toBe('released');
    });
  });
}
