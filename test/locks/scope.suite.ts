import { describe, expect, test } from 'vitest';
import { assertLocked, currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** Who holds: the async scope in which the work runs. */
export function describeScope(subject: LockSubject): void {
  describe('scope', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('knows inside, and only inside, that it is held', async () => {
      expect(one().isHeld()).toBe(false);
      await one().using(async () => {
        expect(one().isHeld()).toBe(true);
        expect(other().isHeld()).toBe(false);
        expect(subject.lock(fleet().one, 'y').isHeld()).toBe(false);
        await Promise.resolve();
        expect(one().isHeld()).toBe(true);
      });
      expect(one().isHeld()).toBe(false);
    });

    test('gives the innermost handle as the current lock', async () => {
      const y = subject.lock(fleet().one, 'y');
      expect(currentLock()).toBeUndefined();
      await one().using(async (outer) => {
        expect(currentLock()).toBe(outer);
        await y.using((inner) => expect(currentLock()).toBe(inner));
        expect(currentLock()).toBe(outer);
      });
      expect(currentLock()).toBeUndefined();
    });

    test('proves that code runs inside of a lock', async () => {
      expect(() => assertLocked('x')).toThrow(expect.objectContaining({ code: 'NOT_LOCKED', lock: 'x' }));
      await one().using(async (handle) => {
        assertLocked('x');
        expect(() => assertLocked('y')).toThrow(expect.objectContaining({ code: 'NOT_LOCKED' }));
        await subject.lock(fleet().one, 'y').using(() => assertLocked('x'));
        await one().forceUnlock();
        expect(handle.isHeld).toBe(false);
        expect(() => assertLocked('x')).toThrow(expect.objectContaining({ code: 'LOST' }));
        await subject.lock(fleet().one, 'y').using(() => {
          expect(() => assertLocked('x')).toThrow(expect.objectContaining({ code: 'LOST' }));
        });
      });
    });

    test('is not opened by an explicit handle, but by its run', async () => {
      const handle = await one().lock();
      expect(one().isHeld()).toBe(false);
      expect(currentLock()).toBeUndefined();
      expect(await one().tryLock()).toBeNull();
      expect(handle.run(() => [one().isHeld(), currentLock()])).toEqual([true, handle]);
      expect(await handle.run(() => Promise.resolve('its result'))).toBe('its result');
      expect(await handle.unlock()).toBe('released');
    });

    test('makes siblings that run in no hold of the lock exclude each other', async () => {
      let inside = 0;
      let most = 0;
      const sibling = () =>
        one().using(async () => {
          most = Math.max(most, (inside += 1));
          await fleet().sleepers('x');
          inside -= 1;
        });
      await subject.lock(fleet().one, 'y').using(() => Promise.all([sibling(), sibling(), sibling()]));
      expect(most).toBe(1);
    });
  });
}
