import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** The watchdog's lease in these tests, in ms. */
const T = scaled(1200);

/** A forced unlock: it frees the lock without asking its holder. */
export function describeForce(subject: LockSubject): void {
  describe('a forced unlock', () => {
    const fleet = fleetOf(subject, { lockWatchdogTimeout: T });
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');
    const asleep = (services = 1) =>
      until('the waiters sleep', async () => (await fleet().sleepers('x')) === services);

    test('returns whether there was a lock to free', async () => {
      expect(await one().forceUnlock()).toBe(false);
      const held = await one().lock();
      expect(await other().forceUnlock()).toBe(true);
      expect(await other().isLocked()).toBe(false);
      expect(await other().forceUnlock()).toBe(false);
      expect(await held.unlock()).toBe('lost');
    });

    test('is known at once to a holder of the same service', async () => {
      const held = await one().lock();
      const { signal } = held;
      expect(await one().forceUnlock()).toBe(true);
      expect([held.isHeld, signal.aborted]).toEqual([false, true]);
      expect(signal.reason).toMatchObject({ name: 'LockLostError', code: 'LOST', lock: 'x' });
      expect(() => held.assertHeld()).toThrow(LockLostError);
      expect(await held.unlock()).toBe('lost');
    });

    test.each([
      { lease: 'a lease', leaseTime: undefined, third: T / 3 },
      { lease: 'a fixed lease', leaseTime: 0.6 * T, third: (0.6 * T) / 3 },
      { lease: 'the watchdog timeout, for a fixed lease that is longer', leaseTime: 100 * T, third: T / 3 },
    ])('aborts the signal of a holder of another service within a third of $lease', async (given) => {
      const notices = fleet().notices(fleet().one);
      const held = await one().lock({ leaseTime: given.leaseTime });
      const { signal } = held;
      await other().forceUnlock();
      const freed = performance.now();
      await until('the signal is aborted', () => signal.aborted);
      expect(performance.now() - freed).toBeLessThan(given.third + scaled(200));
      expect(signal.reason).toBeInstanceOf(LockLostError);
      expect(held.isHeld).toBe(false);
      expect(await held.unlock()).toBe('lost');
      expect(notices).toEqual([expect.objectContaining({ kind: 'lost', lock: 'x', holder: held.holder })]);
    });

    test('is known soon to a caller of the same service whose grant was still on its way', async () => {
      await one().using(() => undefined);
      let freed = 0;
      for (let time = 0; time < 10; time += 1) {
        const lock = subject.lock(fleet().one, `x${time}`);
        const asked = lock.lock();
        const isFreed = await lock.forceUnlock();
        const held = await asked;
        // Commands of one client may pass each other in a cluster.
        if (isFreed) await until('the loss is known', () => !held.isHeld, T / 6);
        freed += isFreed ? 1 : 0;
        expect(await held.unlock()).toBe(isFreed ? 'lost' : 'released');
      }
      expect(freed).toBeGreaterThan(0);
    });

    test('ends every acquisition of the hold, and its scope', async () => {
      await one().using(async (outer) => {
        const inner = subject.reentrant ? await one().lock() : outer;
        await other().forceUnlock();
        await until('the signals are aborted', () => outer.signal.aborted && inner.signal.aborted);
        expect(one().isHeld()).toBe(false);
        const held = await other().lock();
        expect(await one().tryLock()).toBeNull();
        expect(await inner.unlock()).toBe('lost');
        expect(await held.unlock()).toBe('released');
      });
    });

    test('grants the lock to the first waiter of another service promptly', async () => {
      const third = await fleet().open();
      const held = await one().lock();
      const waiting = other().lock();
      await asleep();
      const freed = performance.now();
      expect(await subject.lock(third, 'x').forceUnlock()).toBe(true);
      const next = await waiting;
      expect(performance.now() - freed).toBeLessThan(scaled(200));
      expect(await held.unlock()).toBe('lost');
      expect(next.isHeld).toBe(true);
      expect(await one().tryLock()).toBeNull();
      expect(await next.unlock()).toBe('released');
    });

    test("grants the lock to a waiter of the holder's own service, at once or when the holder was notified", async () => {
      for (const by of [one(), other()]) {
        const held = await one().lock();
        const waiting = one().lock();
        expect(await by.forceUnlock()).toBe(true);
        const next = await waiting;
        expect(held.isHeld).toBe(false);
        expect(next.holder).not.toBe(held.holder);
        expect(await held.unlock()).toBe('lost');
        expect(await next.unlock()).toBe('released');
      }
    });

    test('is no loss for a caller of the same service that requests the lock right after it', async () => {
      for (let time = 0; time < 5; time += 1) {
        const held = await one().lock();
        // Both answers may come at once, and what comes of them is told in any order.
        const [isFreed, next] = await Promise.all([one().forceUnlock(), one().lock()]);
        expect(isFreed).toBe(true);
        expect(held.isHeld).toBe(false);
        expect(next.isHeld).toBe(true);
        expect(await next.unlock()).toBe('released');
      }
    });

    test('is known at once to a waiter that got the lock of its holder meanwhile', async () => {
      const held = await one().lock();
      const waiting = one().lock();
      const forced = one().forceUnlock();
      const unlocked = held.unlock();
      expect(await forced).toBe(true);
      const next = await waiting;
      // Where Redis has granted it anew it is another one's.
      expect(next.isHeld).toBe(next.holder !== held.holder);
      await Promise.all([unlocked, next.unlock()]);
    });

    test('during hand-offs lets another service in, and stops the series', async () => {
      const end = new AbortController();
      const busy = async () => {
        while (!end.signal.aborted) {
          const handle = await one().lock();
          await Promise.resolve();
          await handle.unlock();
        }
      };
      const row = [busy(), busy()];
      // It may come between two rows, and is then unlocked itself.
      let held: LockHandle;
      do {
        const waiting = other().lock({ waitTime: '5s' });
        await other().forceUnlock();
        held = await waiting;
        for (let time = 0; time < 5; time += 1) await other().isLocked();
      } while (!held.isHeld);
      // As soon as another holds it, nobody of the row may believe that it does.
      await until('the row has stopped', () => fleet().holds(fleet().one, 'x').length === 0);
      for (let time = 0; time < 20; time += 1) {
        await other().isLocked();
        expect(fleet().holds(fleet().one, 'x')).toEqual([]);
      }
      end.abort();
      expect(await held.unlock()).toBe('released');
      await Promise.all(row);
    });

    test('does not reach the holder that comes next', async () => {
      const held = await one().lock();
      await other().forceUnlock();
      const next = await other().lock();
      expect(await held.unlock()).toBe('lost');
      await until('a renewal has passed', async () => (await other().remainTimeToLive()) < T - T / 3 + 50);
      await until('and was answered', async () => (await other().remainTimeToLive()) > T - 100);
      expect(next.isHeld).toBe(true);
      expect(await next.unlock()).toBe('released');
    });
  });
}
