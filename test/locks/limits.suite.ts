import { describe, expect, test } from 'vitest';
import { LockNotAcquiredError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** The watchdog's lease, in ms. */
const T = scaled(600);

/** The bounds that a module sets: how long a hold may last, how many may wait, what is worth a line in the log. */
export function describeLimits(subject: LockSubject): void {
  describe('with maxHold', () => {
    const fleet = fleetOf(subject, { maxHold: 200, lockWatchdogTimeout: T });
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('a hold that lasts too long is aborted, is logged, and is not renewed any more', async () => {
      const notices = fleet().notices(fleet().one);
      const start = performance.now();
      const held = await one().lock();
      const { signal } = held;
      await until('the signal is aborted', () => signal.aborted);
      expect(performance.now() - start).toBeGreaterThan(199);
      expect(performance.now() - start).toBeLessThan(200 + scaled(300));
      expect(signal.reason).toMatchObject({ name: 'LockLostError', code: 'MAX_HOLD', lock: 'x' });
      expect(held.isHeld).toBe(false);
      const { holder } = held;
      expect(notices).toContainEqual({ kind: 'overheld', maxHold: 200, lock: 'x', holder });
      // Redis keeps the others out for as long as the lease lasts: the work may still be at it.
      expect(await other().tryLock()).toBeNull();
      const next = await other().lock();
      expect(performance.now() - start).toBeLessThan(200 + T + scaled(300));
      expect(await held.unlock()).toBe('lost');
      expect(await next.unlock()).toBe('released');
    });

    test('a re-entry does not begin the time anew, a hand-off does', async () => {
      const held = await one().lock();
      const granted = performance.now();
      await until('half of it is over', () => performance.now() > granted + 120);
      const waiting = one().lock();
      await held.unlock();
      const next = await waiting;
      await until('the time of the first is over', () => performance.now() > granted + 230);
      expect(next.isHeld).toBe(true);
      expect(await next.unlock()).toBe('released');
    });
  });

  describe('with warnAfter', () => {
    const fleet = fleetOf(subject, { warnAfter: 60 });

    test('a long hold and a long wait are logged, once each, and a wait behind its own scope, too', async () => {
      const lock = subject.lock(fleet().one, 'x');
      const notices = fleet().notices(fleet().one);
      const held = await lock.lock();
      const { holder } = held;
      expect(await lock.tryLock({ waitTime: 150 })).toBeNull();
      expect(notices).toHaveLength(2);
      expect(notices).toContainEqual({ kind: 'long-hold', lock: 'x', holder, held: expect.any(Number) });
      expect(notices).toContainEqual({
        kind: 'long-wait',
        lock: 'x',
        heldBy: holder,
        waited: expect.any(Number),
      });
      await held.unlock();
      await lock.using(() => undefined);
      expect(notices).toHaveLength(2);
    });

    test('a long wait behind another service names its holder', async () => {
      const notices = fleet().notices(fleet().one);
      const held = await subject.lock(fleet().other, 'x').lock();
      await subject.lock(fleet().one, 'x').tryLock({ waitTime: 150 });
      expect(notices).toEqual([
        { kind: 'long-wait', lock: 'x', heldBy: held.holder, waited: expect.any(Number) },
      ]);
      await held.unlock();
    });
  });

  describe('with maxWaiters', () => {
    const fleet = fleetOf(subject, { maxWaiters: 2 });

    test('one more is refused at once, by an error also for tryLock, and no other lock is concerned', async () => {
      const lock = subject.lock(fleet().one, 'x');
      const held = await lock.lock();
      const waiting = [lock.lock(), lock.lock()];
      const refusal = { code: 'TOO_MANY_WAITERS', lock: 'x', heldBy: { holder: held.holder } };
      const refused = lock.lock();
      await expect(refused).rejects.toBeInstanceOf(LockNotAcquiredError);
      await expect(refused).rejects.toMatchObject(refusal);
      await expect(lock.tryLock({ waitTime: '1s' })).rejects.toMatchObject(refusal);
      expect(await lock.tryLock()).toBeNull();
      await subject.lock(fleet().one, 'y').using(() => undefined, { waitTime: '1s' });
      await held.unlock();
      for (const one of waiting) await (await one).unlock();
      await (await lock.lock()).unlock();
    });
  });

  describe('with waitTime', () => {
    const waitTime = { lock: 80, tryLock: 80, using: 0 };
    const fleet = fleetOf(subject, { waitTime });

    test("each method waits by the module's default when the call has no waitTime", async () => {
      const held = await subject.lock(fleet().other, 'x').lock();
      const lock = subject.lock(fleet().one, 'x');
      const waited = (call: () => Promise<unknown>) => {
        const start = performance.now();
        return call().then(
          () => performance.now() - start,
          () => performance.now() - start,
        );
      };
      expect(await waited(() => lock.lock())).toBeGreaterThan(79);
      expect(await waited(() => lock.tryLock())).toBeGreaterThan(79);
      await expect(lock.using(() => 'ran')).rejects.toMatchObject({ waited: 0 });
      expect(await waited(() => lock.lock({ waitTime: 0 }))).toBeLessThan(scaled(79));
      await held.unlock();
    });
  });
}
