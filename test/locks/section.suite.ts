import { describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** `using`: work that runs under the lock, and whose result or error stands. */
export function describeSection(subject: LockSubject): void {
  describe('using', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('gives the result of the work, of whatever kind', async () => {
      expect(await one().using(() => 1)).toBe(1);
      expect(await one().using(async () => 2)).toBe(2);
      const foreign: PromiseLike<number> = Object.create({
        // oxlint-disable-next-line unicorn/no-thenable -- a promise of another library is what this is about
        then: (take: (value: number) => void) => take(3),
      });
      expect(await one().using(() => foreign)).toBe(3);
      expect(await one().using(() => undefined)).toBeUndefined();
    });

    test('gives the very error of the work, thrown or rejected, and has unlocked by then', async () => {
      const thrown = new Error('of the work');
      const work = () => {
        throw thrown;
      };
      await expect(one().using(work)).rejects.toBe(thrown);
      expect(await other().isLocked()).toBe(false);
      await expect(one().using(() => Promise.reject(thrown))).rejects.toBe(thrown);
      expect(await other().isLocked()).toBe(false);
      // oxlint-disable-next-line prefer-promise-reject-errors -- what is not an Error must pass through untouched, too
      await expect(one().using(() => Promise.reject('a text'))).rejects.toBe('a text');
    });

    test('holds the lock until a promised result is there', async () => {
      const refused = await one().using(async () => {
        await fleet().sleepers('x');
        return await other().tryLock();
      });
      expect(refused).toBeNull();
    });

    test('lets the work unlock by itself', async () => {
      const outcome = await one().using(async (handle) => {
        const unlocked = await handle.unlock();
        expect(await other().isLocked()).toBe(false);
        return unlocked;
      });
      expect(outcome).toBe('released');
    });

    test('keeps result and error of the work when the lease was lost, and reports the loss by the signal', async () => {
      const lose = async (signal: AbortSignal) => {
        await one().forceUnlock();
        expect(signal.aborted).toBe(true);
        expect(signal.reason).toBeInstanceOf(LockLostError);
        return 'the result';
      };
      expect(await one().using(({ signal }) => lose(signal))).toBe('the result');
      const failing = one().using(async ({ signal }) => {
        await lose(signal);
        throw new Error('of the work');
      });
      await expect(failing).rejects.toThrow('of the work');
    });

    test('throws with onLost "throw" after work that ended well, and only then', async () => {
      const lost = one().using(async () => await one().forceUnlock(), { onLost: 'throw' });
      await expect(lost).rejects.toMatchObject({ name: 'LockLostError', code: 'LOST', lock: 'x' });
      const failing = async () => {
        await one().forceUnlock();
        throw new Error('of the work');
      };
      await expect(one().using(failing, { onLost: 'throw' })).rejects.toThrow('of the work');
      expect(await one().using(() => 'kept', { onLost: 'throw' })).toBe('kept');
    });

    test('throws with onLost "throw" also when the work has unlocked a lost lock by itself', async () => {
      const lost = one().using(
        async (handle) => {
          await fleet().wipe('x');
          return await handle.unlock();
        },
        { onLost: 'throw' },
      );
      await expect(lost).rejects.toBeInstanceOf(LockLostError);
    });

    test('does not run the work when the lock is refused', async () => {
      const held = await one().lock();
      let ran = false;
      const refused = other().using(
        () => {
          ran = true;
        },
        { waitTime: 0 },
      );
      await expect(refused).rejects.toMatchObject({
        name: 'LockNotAcquiredError',
        code: 'NOT_ACQUIRED',
        lock: 'x',
        heldBy: { holder: held.holder },
      });
      expect(ran).toBe(false);
      await held.unlock();
    });
  });
}
