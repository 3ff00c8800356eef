import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { isPending, listened, name, play, writerWaits } from './read-write.scene.js';

const options = { timeout: scaled(20_000) };

describe.concurrent('a scope', () => {
  test(
    'reads while it reads, and writes while it writes, and each side is counted by itself',
    options,
    play(async (scene) => {
      const { one, other } = scene;
      const [read, write] = [one.readLock(), one.writeLock()];
      await read.using(async () => {
        await read.using(async () => {
          expect([await read.getHoldCount(), await write.getHoldCount()]).toEqual([2, 0]);
          expect([read.isHeld(), write.isHeld()]).toEqual([true, false]);
        });
        expect(await read.getHoldCount()).toBe(1);
        expect(await other.writeLock().tryLock()).toBeNull();
        expect(await other.readLock().using(() => read.getHoldCount())).toBe(1);
      });
      await write.using(async (outer) => {
        await write.using(async () => {
          await read.using(async (reading) => {
            expect(reading.holder).toBe(outer.holder);
            expect([await read.getHoldCount(), await write.getHoldCount()]).toEqual([1, 2]);
          });
          expect([await other.readLock().tryLock(), await other.writeLock().tryLock()]).toEqual([null, null]);
        });
      });
      expect(await scene.stage.faults.counts(name)).toEqual({});
    }),
  );

  test(
    'that reads and requests to write is refused at once, by any method, and reads on',
    options,
    play(async (scene) => {
      const { one, other } = scene;
      await one.readLock().using(async (reading) => {
        const start = performance.now();
        const doors = [
          one.writeLock().lock(),
          one.writeLock().tryLock(),
          one.writeLock().lock({ waitTime: '10s' }),
          one.writeLock().using(() => 'ran'),
        ];
        for (const end of await Promise.allSettled(doors))
          expect(end).toMatchObject({
            status: 'rejected',
            reason: { name: 'LockConfigurationError', code: 'UPGRADE', lock: name },
          });
        expect(performance.now() - start).toBeLessThan(scaled(500));
        expect(reading.isHeld).toBe(true);
        // No intent is left: a new reader comes in.
        expect(await (await other.readLock().tryLock())?.unlock()).toBe('released');
      });
      // Who writes, and reads inside, may write once more.
      await one.writeLock().using(() => one.readLock().using(() => one.writeLock().using(() => undefined)));
    }),
  );

  test(
    'that stops writing and reads on admits the waiting readers at once, and no writer',
    options,
    play(async (scene) => {
      const { one, other } = scene;
      const writing = await one.writeLock().lock();
      const reading = await writing.run(() => one.readLock().lock());
      const readers = [1, 2, 3].map(() => other.readLock().lock());
      await listened(scene, 1);
      expect(await isPending(scene, Promise.race(readers))).toBe(true);
      const start = performance.now();
      expect(await writing.unlock()).toBe('released');
      const granted = await Promise.all(readers);
      expect(performance.now() - start).toBeLessThan(scaled(500));
      expect([writing.isHeld, reading.isHeld]).toEqual([false, true]);

      const waiting = other.writeLock().lock();
      await writerWaits(scene);
      await Promise.all(granted.map((handle) => handle.unlock()));
      expect(await isPending(scene, waiting)).toBe(true);
      const last = performance.now();
      expect(await reading.unlock()).toBe('released');
      const next = await waiting;
      expect(performance.now() - last).toBeLessThan(scaled(500));
      await next.unlock();
    }),
  );

  test(
    'reads in twenty branches at once inside its write hold, and ends them in any order',
    options,
    play(async (scene) => {
      const { one, other } = scene;
      await one.writeLock().using(async () => {
        for (let time = 0; time < 3; time += 1) {
          const reads = await Promise.all(Array.from({ length: 20 }, () => one.readLock().lock()));
          expect(new Set(reads.map(({ holder }) => holder)).size).toBe(1);
          expect(await reads[0]?.run(() => one.readLock().getHoldCount())).toBe(20);
          const outcomes = await Promise.all(reads.toReversed().map((handle) => handle.unlock()));
          expect(outcomes.filter((outcome) => outcome === 'kept')).toHaveLength(19);
        }
        expect(Object.keys(await scene.stage.faults.counts(name))).toHaveLength(2);
        await Promise.all(Array.from({ length: 20 }, () => one.readLock().using(() => sleep(1))));
      });
      expect(await (await other.writeLock().tryLock())?.unlock()).toBe('released');
    }),
  );

  test.each(['before', 'after'] as const)(
    'that writes may begin to read right %s another branch of it stops reading',
    options,
    (when) =>
      // A new Redis does not know the script of the first release: it is sent twice, and runs later than what was sent behind it.
      play(
        async ({ one, other }) => {
          for (let time = 0; time < 10; time += 1) {
            const writing = await one.writeLock().lock();
            const reading = await writing.run(async () => {
              const first = await one.readLock().lock();
              const begin = () => one.readLock().lock({ waitTime: '1s' });
              const early = when === 'before' ? begin() : undefined;
              const ended = first.unlock();
              const second = await (early ?? begin());
              await ended;
              return second;
            });
            expect(await writing.unlock()).toBe('released');
            // It reads on, so nobody else can write.
            expect([reading.isHeld, await other.writeLock().tryLock()]).toEqual([true, null]);
            expect(await reading.unlock()).toBe('released');
          }
        },
        {},
        'own',
      )(),
  );
});
