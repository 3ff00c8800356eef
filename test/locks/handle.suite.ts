import { describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** The handle: the only way to release, and what it says about itself. */
export function describeHandle(subject: LockSubject): void {
  describe('handle', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('is held until its unlock, and reports it', async () => {
      const handle = await one().lock();
      expect(handle.isHeld).toBe(true);
      handle.assertHeld();
      const unlocked = handle.unlock();
      expect(handle.isHeld).toBe(false);
      expect(() => handle.assertHeld()).toThrow(LockLostError);
      expect(await unlocked).toBe('released');
    });

    test('answers its second unlock as the first one, and leaves a later hold alone', async () => {
      const handle = await one().lock();
      expect(await Promise.all([handle.unlock(), handle.unlock()])).toEqual(['released', 'released']);
      const next = await other().lock();
      expect(await handle.unlock()).toBe('released');
      expect(next.isHeld).toBe(true);
      expect(await other().getHoldCount()).toBe(0);
      expect(await other().isLocked()).toBe(true);
      expect(await next.unlock()).toBe('released');
    });

    test('reports that the lock was lost, and changes nothing for the next holder', async () => {
      const handle = await one().lock();
      await fleet().wipe('x');
      const next = await other().lock();
      expect(await handle.unlock()).toBe('lost');
      expect(await handle.unlock()).toBe('lost');
      expect(await other().isLocked()).toBe(true);
      expect(await next.unlock()).toBe('released');
    });

    test('is disposed of at the end of its block', async () => {
      {
        await using handle = await one().lock();
        expect(handle.isHeld).toBe(true);
        expect(await other().tryLock()).toBeNull();
      }
      expect(await other().isLocked()).toBe(false);
    });

    test('is disposed of when its block throws, whose error stands', async () => {
      const failing = async () => {
        await using handle = await one().lock();
        handle.assertHeld();
        throw new Error('of the block');
      };
      await expect(failing()).rejects.toThrow('of the block');
      expect(await other().isLocked()).toBe(false);
    });

    test('can be disposed of after its unlock, and when nothing was granted', async () => {
      {
        await using handle = await one().lock();
        await using refused = await other().tryLock();
        expect(refused).toBeNull();
        expect(await handle.unlock()).toBe('released');
      }
      expect(await other().isLocked()).toBe(false);
    });

    test('aborts its signal at an unlock, for work that goes on', async () => {
      const handle = await one().lock();
      const { signal } = handle;
      expect(handle.signal).toBe(signal);
      expect(signal.aborted).toBe(false);
      await handle.unlock();
      expect(signal.reason).toMatchObject({ code: 'RELEASED' });
    });

    test('has a form for logs, with the name as the user wrote it', async () => {
      const handle = await one().lock();
      const { name, holder } = handle;
      expect(name).toBe('x');
      const token = handle.token === undefined ? {} : { token: handle.token.toString() };
      expect(JSON.parse(JSON.stringify(handle))).toEqual({ name, holder, isHeld: true, ...token });
      await handle.unlock();
      expect(JSON.parse(JSON.stringify(handle))).toEqual({ name, holder, isHeld: false, ...token });
    });

    test('has no extension after its unlock', async () => {
      const handle = await one().lock();
      await handle.unlock();
      expect(await handle.extend('10s')).toBe(false);
      expect(await other().isLocked()).toBe(false);
    });

    test('extends a lease, never shortens it', async () => {
      const handle = await one().lock();
      expect(await handle.extend('2m')).toBe(true);
      expect(await other().remainTimeToLive()).toBeGreaterThan(60_000);
      expect(await handle.extend('1s')).toBe(true);
      expect(await other().remainTimeToLive()).toBeGreaterThan(60_000);
      expect(await handle.unlock()).toBe('released');
    });

    test('finds at an extension that the lock was lost', async () => {
      const handle = await one().lock();
      await fleet().wipe('x');
      expect(await handle.extend('10s')).toBe(false);
      expect(handle.isHeld).toBe(false);
      expect(handle.signal.aborted).toBe(true);
      expect(await other().isLocked()).toBe(false);
      expect(await handle.unlock()).toBe('lost');
    });

    test.each(['5 parsecs', '99ms', 0, -1, NaN, Infinity, '11y', null, {}])(
      'refuses an extension by %j, and stays held',
      async (leaseTime) => {
        const handle = await one().lock();
        await expect(Reflect.apply(handle.extend, handle, [leaseTime])).rejects.toMatchObject({
          name: 'LockConfigurationError',
          code: 'INVALID_OPTION',
          lock: 'x',
          message: expect.stringMatching(/^leaseTime must be /),
        });
        expect(handle.isHeld).toBe(true);
        expect(await handle.unlock()).toBe('released');
      },
    );
  });
}
