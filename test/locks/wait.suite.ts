import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockNotAcquiredError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { endOf } from './lateness.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** How long a wait may last, and what ends it. */
export function describeWait(subject: LockSubject): void {
  describe('a wait', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');
    const asleep = (services = 1) =>
      until('the waiters sleep', async () => (await fleet().sleepers('x')) === services);

    test.each([100, 400])('lasts %d ms when it may, to within 50 ms', async (waitTime) => {
      const held = await one().lock();
      for (const lock of [one(), other()]) {
        for (const door of ['lock', 'tryLock'] as const) {
          const { late } = await endOf(waitTime, () => lock[door]({ waitTime }));
          expect(Math.abs(late)).toBeLessThan(scaled(50));
        }
      }
      await held.unlock();
    });

    test('ends with null for tryLock, and without a trace', async () => {
      const held = await one().lock();
      expect(await one().tryLock({ waitTime: 60 })).toBeNull();
      expect(await other().tryLock({ waitTime: 60 })).toBeNull();
      await until('nobody listens', async () => (await fleet().sleepers('x')) === 0);
      await held.unlock();
      await until('nothing is left', async () => (await fleet().leftovers()).length === 0);
    });

    test('ends with an error that names the holder, and since when in the same service', async () => {
      const began = Date.now();
      const held = await one().lock();
      const local: unknown = await one()
        .lock({ waitTime: '80ms' })
        .catch((error: unknown) => error);
      expect(local).toBeInstanceOf(LockNotAcquiredError);
      expect(local).toMatchObject({ code: 'NOT_ACQUIRED', lock: 'x', heldBy: { holder: held.holder } });
      if (!(local instanceof LockNotAcquiredError)) throw local;
      expect(local.heldBy.since).toBeGreaterThanOrEqual(began);
      expect(local.heldBy.since).toBeLessThanOrEqual(Date.now());
      expect(local.waited).toBeGreaterThanOrEqual(79);
      expect(local.message).toContain(held.holder);
      const remote = other().lock({ waitTime: '80ms' });
      const refusal: unknown = await remote.catch((error: unknown) => error);
      expect(refusal).toMatchObject({ heldBy: { holder: held.holder } });
      await held.unlock();
    });

    test('does not begin when the signal is aborted already, not even for a free lock', async () => {
      const reason = { why: 'whatever the caller says' };
      const signal = AbortSignal.abort(reason);
      for (const waitTime of [0, '1s'] as const) {
        await expect(one().lock({ signal, waitTime })).rejects.toBe(reason);
        await expect(one().tryLock({ signal, waitTime })).rejects.toBe(reason);
        await expect(one().using(() => 'ran', { signal, waitTime })).rejects.toBe(reason);
      }
      expect(await other().isLocked()).toBe(false);
    });

    test("ends at once, with the signal's own reason, when it is aborted", async () => {
      const held = await one().lock();
      const aborts = [new AbortController(), new AbortController()];
      const waiting = [one(), other()].map((lock, index) => lock.lock({ signal: aborts[index]?.signal }));
      await asleep();
      const reason = new Error('enough');
      const aborted = performance.now();
      for (const abort of aborts) abort.abort(reason);
      const ends = await Promise.allSettled(waiting);
      expect(performance.now() - aborted).toBeLessThan(scaled(50));
      expect(ends).toEqual(waiting.map(() => ({ status: 'rejected', reason })));
      await held.unlock();
    });

    test('that was aborted while it slept leaves no subscription, and does not swallow the release', async () => {
      const held = await one().lock();
      const abort = new AbortController();
      const leaving = other().lock({ signal: abort.signal });
      const staying = other().lock();
      await asleep();
      abort.abort();
      await expect(leaving).rejects.toMatchObject({ name: 'AbortError' });
      await held.unlock();
      expect(await (await staying).unlock()).toBe('released');
    });

    test('that was aborted in the middle of its first question leaves no key', async () => {
      for (let time = 0; time < 20; time += 1) {
        const abort = new AbortController();
        const waiting = one().lock({ signal: abort.signal });
        const trying = other().tryLock({ signal: abort.signal });
        abort.abort('gone');
        await expect(waiting).rejects.toBe('gone');
        await expect(trying).rejects.toBe('gone');
      }
      await until('the lock is free', async () => !(await one().isLocked()));
    });

    test('ends promptly when another service unlocks, long before the lease would', async () => {
      const held = await one().lock();
      const waiting = other().lock();
      await asleep();
      const unlocked = performance.now();
      await held.unlock();
      const granted = await waiting;
      expect(performance.now() - unlocked).toBeLessThan(scaled(200));
      await granted.unlock();
    });

    test('does not miss a release between the first attempt and the subscription', async () => {
      for (let time = 0; time < 50; time += 1) {
        const held: LockHandle = await one().lock();
        const waiting = other().lock({ waitTime: '5s' });
        for (let turn = 0; turn < time % 10; turn += 1) await one().isLocked();
        await held.unlock();
        expect(await (await waiting).unlock()).toBe('released');
      }
    });

    test('never fails with "Redis is away" because its time was over between two holds', async () => {
      const held = await one().lock();
      const answers = Array.from({ length: 300 }, async (_, index) => {
        // Another lease than the one before: each hand-over is a round trip, in which nobody has the lock.
        // The first ones get it however slow the release is.
        const waitTime = index < 3 ? '10s' : scaled(80) + index / 2;
        // None is over before its answers are read, also where 300 scripts run in this process.
        const handle = await one().tryLock({ waitTime, leaseTime: 20_000 + index });
        if (handle === null) return 'refused';
        await sleep(1);
        return await handle.unlock();
      });
      await held.unlock();
      const kinds = new Set(await Promise.all(answers));
      expect(kinds).toEqual(new Set(['released', 'refused']));
    });
  });
}
