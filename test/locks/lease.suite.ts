import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { standStill } from '../support/stand.still.js';
import { until } from '../support/until.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** The watchdog's lease in these tests, in ms: it is renewed at a third of it, so a slow machine needs a longer one. */
const T = scaled(1200);

/** How long a hold lasts, and what its holder may believe. */
export function describeLease(subject: LockSubject): void {
  describe('a lease', () => {
    const fleet = fleetOf(subject, { lockWatchdogTimeout: T });
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');
    const ttl = () => other().remainTimeToLive();

    test('of the watchdog is kept up far beyond its length, and never falls below half of it', async () => {
      const held = await one().lock();
      const end = performance.now() + 2.5 * T;
      let least = Infinity;
      let stall = 0;
      for (let at = performance.now(), last = at; at < end; last = at, at = performance.now()) {
        stall = Math.max(stall, at - last);
        least = Math.min(least, await ttl());
        expect(await other().tryLock()).toBeNull();
        await sleep(10);
      }
      // While this process itself stood still nobody renewed.
      expect(least + stall).toBeGreaterThan(T / 2);
      expect(held.isHeld).toBe(true);
      expect(await held.unlock()).toBe('released');
    });

    test('of the watchdog is kept up for a hold that was handed from waiter to waiter', async () => {
      const first = await one().lock();
      const waiting = one().lock();
      await first.unlock();
      const second = await waiting;
      const end = performance.now() + 1.5 * T;
      await until('the lease would have been over', () => performance.now() > end);
      expect(second.isHeld).toBe(true);
      expect(await ttl()).toBeGreaterThan(T / 2);
      expect(await second.unlock()).toBe('released');
    });

    test('of a fixed length is never renewed, and its signal aborts before another holder is granted the lock', async () => {
      const order: string[] = [];
      const held = await one().lock({ leaseTime: 500 });
      setTimeout(() => order.push('the lease is over'), 500);
      held.signal.addEventListener('abort', () => order.push('aborted'));
      const waiting = other().lock();
      let last = await ttl();
      while (!held.signal.aborted) {
        const left = await ttl();
        expect(left).toBeLessThanOrEqual(last);
        last = left;
      }
      expect(held.isHeld).toBe(false);
      expect(held.signal.reason).toBeInstanceOf(LockLostError);
      const next = await waiting.finally(() => order.push('another is in'));
      expect(order[0]).toBe('aborted');
      expect(order).toContain('another is in');
      expect(await held.unlock()).toBe('lost');
      expect(next.isHeld).toBe(true);
      expect(await next.unlock()).toBe('released');
    });

    test('of a fixed length that runs out is granted to a waiter within 100 ms', async () => {
      for (const lock of [one(), other()]) {
        const start = performance.now();
        await one().lock({ leaseTime: 400 });
        const next = await lock.lock();
        expect(performance.now() - start).toBeGreaterThan(395);
        expect(performance.now() - start).toBeLessThan(400 + scaled(100));
        await next.unlock();
      }
    });

    test('of a fixed length is whole for a waiter that waited for longer than it', async () => {
      const held = await other().lock();
      const waiting = one().lock({ leaseTime: 300 });
      const start = performance.now();
      await until('the waiter has waited for longer', () => performance.now() > start + 350);
      await held.unlock();
      const handle = await waiting;
      expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
      expect(await ttl()).toBeGreaterThan(150);
      expect(await handle.unlock()).toBe('released');
    });

    test('of the watchdog survives an event loop that stands still for half of it', async () => {
      const held = await one().lock();
      standStill(T / 2);
      expect(held.isHeld).toBe(true);
      await until('it is renewed', async () => (await ttl()) > (2 * T) / 3);
      expect(held.signal.aborted).toBe(false);
      expect(await held.unlock()).toBe('released');
    });

    test('is not relied on at the first instruction after the event loop was blocked beyond it', async () => {
      const [held, fixed] = [await one().lock(), await subject.lock(fleet().one, 'y').lock({ leaseTime: T })];
      const { signal } = held;
      standStill(T + 50);
      expect([held.isHeld, signal.aborted, fixed.isHeld]).toEqual([false, true, false]);
      expect(() => fixed.assertHeld()).toThrow(LockLostError);
      const next = await other().lock();
      expect(await held.unlock()).toBe('lost');
      expect(await fixed.unlock()).toBe('lost');
      expect(await next.unlock()).toBe('released');
    });

    test('of a fixed length that ends while the event loop stands still makes room for the next try', async () => {
      const ended = await one().lock({ leaseTime: 150 });
      standStill(200);
      const next = await one().tryLock();
      const known = fleet().holds(fleet().one, 'x');
      expect(known.map(({ lease }) => lease.holder)).toContain(next?.holder);
      expect(await ended.unlock()).toBe('lost');
      expect(await next?.unlock()).toBe('released');
    });

    test('of a fixed length is extended by the time of the extension', async () => {
      const held = await one().lock({ leaseTime: 300 });
      expect(await held.extend(900)).toBe(true);
      expect(await ttl()).toBeGreaterThan(600);
      const end = performance.now() + 600;
      await until('the first length is over', () => performance.now() > end);
      expect(held.isHeld).toBe(true);
      await until('the extension is over', () => !held.isHeld);
      expect(await held.unlock()).toBe('lost');
    });
  });
}
