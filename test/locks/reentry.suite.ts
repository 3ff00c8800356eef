import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { Gate } from './gate.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** A scope that holds the lock takes it again. */
export function describeReentry(subject: LockSubject): void {
  describe('re-entry', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('counts what is nested, and frees at the outermost end', async () => {
      await one().using(async (outer) => {
        expect(await one().getHoldCount()).toBe(1);
        await one().using(async (inner) => {
          expect(inner.holder).toBe(outer.holder);
          expect(await one().getHoldCount()).toBe(2);
          await one().using(async () => expect(await one().getHoldCount()).toBe(3));
          expect(await one().getHoldCount()).toBe(2);
        });
        expect(await one().getHoldCount()).toBe(1);
        expect(await other().tryLock()).toBeNull();
      });
      expect(await one().getHoldCount()).toBe(0);
      expect(await other().isLocked()).toBe(false);
    });

    test('reaches counts 2 and 3 for two nested acquisitions in one Promise.all, and unlocks to none', async () => {
      await one().using(async () => {
        const [first, second] = await Promise.all([one().lock(), one().lock()]);
        expect(await one().getHoldCount()).toBe(3);
        expect(await Promise.all([first.unlock(), second.unlock()])).toEqual(['kept', 'kept']);
        expect(await one().getHoldCount()).toBe(1);
      });
      expect(await other().isLocked()).toBe(false);
    });

    test('lets concurrent children of a holding scope share its hold', async () => {
      let release: () => void = () => undefined;
      const together = new Promise<void>((resolve) => (release = resolve));
      let inside = 0;
      const child = () =>
        one().using(async () => {
          if ((inside += 1) === 3) release();
          await together;
        });
      await one().using(() => Promise.all([child(), child(), child()]));
      expect(inside).toBe(3);
    });

    test('keeps the lock until the last of a hold has unlocked, in whatever order', async () => {
      const outer = await one().lock();
      const inner = await outer.run(() => one().lock());
      expect(await outer.unlock()).toBe('kept');
      expect([outer.isHeld, inner.isHeld]).toEqual([false, true]);
      expect(await other().tryLock()).toBeNull();
      expect(await inner.unlock()).toBe('released');
      expect(await other().isLocked()).toBe(false);
    });

    test('needs no time to wait', async () => {
      await one().using(async () => {
        const inner = await one().tryLock({ waitTime: 0 });
        expect(await inner?.unlock()).toBe('kept');
      });
    });

    test('survives a hundred nested and unlocked at once', async () => {
      await one().using(async () => {
        const nested = await Promise.all(Array.from({ length: 100 }, () => one().lock()));
        expect(await one().getHoldCount()).toBe(101);
        const outcomes = await Promise.all(nested.map((handle) => handle.unlock()));
        expect(new Set(outcomes)).toEqual(new Set(['kept']));
        expect(await one().getHoldCount()).toBe(1);
      });
    });

    test('is refused to a scope that outlived its hold', async () => {
      const later = new Gate();
      let stray: Promise<LockHandle | null> | undefined;
      await one().using(() => {
        stray = later.opened.then(() => one().tryLock());
      });
      const held = await other().lock();
      later.open();
      expect(await stray).toBeNull();
      await held.unlock();
    });

    test('is refused to a scope whose hold was handed to the next waiter of its service', async () => {
      const [inside, end, later] = [new Gate(), new Gate(), new Gate()];
      let stray: Promise<LockHandle | null> | undefined;
      const section = one().using(async () => {
        stray = later.opened.then(() => one().tryLock());
        inside.open();
        await end.opened;
      });
      await inside.opened;
      const next = one().lock();
      end.open();
      await section;
      const held = await next;
      later.open();
      expect(await stray).toBeNull();
      expect(await held.unlock()).toBe('released');
    });

    test('gives a scope that outlived its hold, and finds the lock free, a hold of its own', async () => {
      let former = '';
      const later = new Gate();
      let stray: Promise<LockHandle | null> | undefined;
      await one().using(({ holder }) => {
        former = holder;
        stray = later.opened.then(() => one().tryLock());
      });
      later.open();
      const held = await stray;
      expect(held?.isHeld).toBe(true);
      expect(held?.holder).not.toBe(former);
      expect(await held?.unlock()).toBe('released');
    });

    test('is not undone by a second unlock of the same handle', async () => {
      await one().using(async () => {
        const inner = await one().lock();
        expect([await inner.unlock(), await inner.unlock()]).toEqual(['kept', 'kept']);
        expect(await one().getHoldCount()).toBe(1);
        expect(one().isHeld()).toBe(true);
      });
    });
  });
}
