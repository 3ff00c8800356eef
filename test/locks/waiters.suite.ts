import { describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { until } from '../support/until.js';
import { behind, fleetOf, type LockSubject } from './lock.fleet.js';

const NUMBERS = Array.from({ length: 50 }, (_, number) => number);

/** Many that wait for one lock. */
export function describeWaiters(subject: LockSubject): void {
  describe('waiters', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');
    const asleep = (services = 1) =>
      until('the waiters sleep', async () => (await fleet().sleepers('x')) === services);

    test('of two services all get the lock', async () => {
      const counts = { one: 0, other: 0, inside: 0, most: 0 };
      const enter = (lock: Lock, side: 'one' | 'other') =>
        lock.using(async () => {
          counts.most = Math.max(counts.most, (counts.inside += 1));
          await Promise.resolve();
          counts[side] += 1;
          counts.inside -= 1;
        });
      const waiters = await behind(one(), () =>
        NUMBERS.map(() => [enter(one(), 'one'), enter(other(), 'other')]),
      );
      await Promise.all(waiters.flat());
      expect(counts).toMatchObject({ one: 50, other: 50, most: 1 });
    });

    test('of another service are granted while the first never runs out of its own', async () => {
      const end = new AbortController();
      const greedy = async () => {
        while (!end.signal.aborted) await one().using(() => Promise.resolve());
      };
      const loops = [greedy(), greedy(), greedy()];
      for (let turn = 0; turn < 5; turn += 1)
        expect(await other().using(() => turn, { waitTime: '5s' })).toBe(turn);
      end.abort();
      await Promise.all(loops);
    });

    test('are not disturbed by one whose time is over', async () => {
      const held = await one().lock();
      const staying = [other().lock(), one().lock(), other().lock()];
      const leaving = [other().tryLock({ waitTime: 60 }), one().tryLock({ waitTime: 60 })];
      expect(await Promise.all(leaving)).toEqual([null, null]);
      expect(await fleet().sleepers('x')).toBe(1);
      await held.unlock();
      await Promise.all(staying.map(async (waiting) => (await waiting).unlock()));
    });

    test('all get it, 50 of them that may wait for 30 s', async () => {
      const waiters = await behind(one(), () =>
        NUMBERS.map(async (number) => {
          const handle = await (number % 2 === 0 ? one() : other()).tryLock({ waitTime: '30s' });
          return await handle?.unlock();
        }),
      );
      expect(await Promise.all(waiters)).toEqual(NUMBERS.map(() => 'released'));
    });

    test('pass a wake on when the first of them has just left', async () => {
      for (let time = 0; time < 20; time += 1) {
        const held = await one().lock();
        const abort = new AbortController();
        const first = other().lock({ signal: abort.signal });
        const second = other().lock({ waitTime: '5s' });
        await asleep();
        const unlocked = held.unlock();
        if (time % 2 === 0) await unlocked;
        abort.abort('left');
        // The first may have been granted before it could leave.
        const gone = await first.then(
          (handle) => handle.unlock(),
          (reason: unknown) => reason,
        );
        expect(['left', 'released']).toContain(gone);
        expect(await (await second).unlock()).toBe('released');
        await unlocked;
      }
    });

    test('that all leave at once leave nothing behind', async () => {
      const held = await one().lock();
      const abort = new AbortController();
      const { signal } = abort;
      const waiters = NUMBERS.flatMap(() => [one().lock({ signal }), other().lock({ signal })]);
      await asleep();
      abort.abort('all');
      const ends = await Promise.allSettled(waiters);
      expect(ends.every((end) => end.status === 'rejected' && end.reason === 'all')).toBe(true);
      await held.unlock();
      await until('nothing is left', async () => (await fleet().leftovers()).length === 0);
    });
  });
}
