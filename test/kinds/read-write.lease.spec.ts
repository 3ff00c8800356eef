import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { isPending, name, play, writerWaits } from './read-write.scene.js';

/** The watchdog's lease where it is to be renewed, in ms. */
const T = 1500;
const options = { timeout: scaled(20_000) };

describe.concurrent('leases of read holds', () => {
  test(
    'of one scope end one by one, and the longest keeps writers out',
    options,
    play(async (scene) => {
      const { one, other } = scene;
      const outer = await one.readLock().lock({ leaseTime: scaled(300) });
      const inner = await outer.run(() => one.readLock().lock({ leaseTime: scaled(1200) }));
      const brief = await inner.run(() => one.readLock().lock({ leaseTime: scaled(150) }));
      const start = performance.now();
      const waiting = other.writeLock().lock();
      await until('the shortest is over', () => brief.signal.aborted);
      expect([outer.isHeld, inner.isHeld]).toEqual([true, true]);
      await until('the first is over', () => outer.signal.aborted);
      expect([outer.isHeld, inner.isHeld]).toEqual([false, true]);
      expect(await isPending(scene, waiting)).toBe(true);
      expect(await outer.unlock()).toBe('lost');
      const granted = await waiting;
      const took = performance.now() - start;
      expect(took).toBeGreaterThan(scaled(1200) - scaled(100));
      expect(took).toBeLessThan(scaled(1200) + scaled(250));
      expect([inner.isHeld, await inner.unlock()]).toEqual([false, 'lost']);
      await granted.unlock();
    }),
  );

  test(
    'end with the watchdog of the scope that is left, when a fixed one inside it runs out',
    options,
    play(
      async (scene) => {
        const { one, other } = scene;
        const outer = await one.readLock().lock();
        const inner = await outer.run(() => one.readLock().lock({ leaseTime: 200 }));
        await until('the inner one is over', () => inner.signal.aborted);
        const start = performance.now();
        const waiting = other.writeLock().lock();
        await until('two leases of the watchdog are over', () => performance.now() - start > 2 * T);
        expect([outer.isHeld, outer.signal.reason]).toEqual([true, undefined]);
        expect(await isPending(scene, waiting)).toBe(true);
        expect(await outer.unlock()).toBe('released');
        expect(await (await waiting).unlock()).toBe('released');
      },
      { lockWatchdogTimeout: T },
    ),
  );

  test(
    'are renewed, too, when the write hold around them has ended',
    options,
    play(
      async (scene) => {
        const { one, other } = scene;
        const writing = await one.writeLock().lock();
        const reading = await writing.run(() => one.readLock().lock());
        expect(await writing.unlock()).toBe('released');
        const waiting = other.writeLock().lock();
        const start = performance.now();
        await until('two leases of the watchdog are over', () => performance.now() - start > 2 * T);
        expect([reading.isHeld, reading.signal.reason]).toEqual([true, undefined]);
        expect(await isPending(scene, waiting)).toBe(true);
        expect(await reading.unlock()).toBe('released');
        expect(await (await waiting).unlock()).toBe('released');
      },
      { lockWatchdogTimeout: T },
    ),
  );

  test(
    'of a process that died do not outlive it: a writer gets in with the last live unlock',
    options,
    play(async (scene) => {
      const { stage, one } = scene;
      const zombie = await stage.fork({ lockWatchdogTimeout: 900 });
      zombie.take(1, 'read', name);
      zombie.take(2, 'read', name);
      await Promise.all([zombie.told('granted', 1), zombie.told('granted', 2)]);
      const reading = [await one.readLock().lock(), await one.readLock().lock()];
      await zombie.kill();
      const start = performance.now();
      const waiting = scene.other.writeLock().lock();
      await writerWaits(scene);
      await until('its leases are over', () => performance.now() - start > 1000);
      expect(await reading[0]?.unlock()).toBe('released');
      expect(await isPending(scene, waiting)).toBe(true);
      const last = performance.now();
      expect(await reading[1]?.unlock()).toBe('released');
      const granted = await waiting;
      console.log(
        `zombie readers: the writer got in ${(performance.now() - last).toFixed(0)} ms after the last live unlock`,
      );
      expect(performance.now() - last).toBeLessThan(scaled(500));
      await granted.unlock();
    }),
  );
});

describe.concurrent('a forced unlock', () => {
  test(
    'of the read side is known at once to every reader of its process, and spares a writer',
    options,
    play(async ({ one, other }) => {
      const readers = await Promise.all(Array.from({ length: 5 }, () => one.readLock().lock()));
      const signals = readers.map(({ signal }) => signal);
      expect(await one.writeLock().forceUnlock()).toBe(false);
      expect(readers.every(({ isHeld }) => isHeld)).toBe(true);
      expect(await one.readLock().forceUnlock()).toBe(true);
      expect(signals.map(({ aborted }) => aborted)).toEqual(signals.map(() => true));
      const writing = await other.writeLock().lock({ waitTime: '1s' });
      expect(await Promise.all(readers.map((handle) => handle.unlock()))).toEqual(signals.map(() => 'lost'));
      expect(await other.readLock().forceUnlock()).toBe(false);
      expect(writing.isHeld).toBe(true);
      expect(await writing.unlock()).toBe('released');
    }),
  );

  test(
    'of the write side is known at once to the writer, and to what it reads',
    options,
    play(async ({ one, other }) => {
      const writing = await one.writeLock().lock();
      const reading = await writing.run(() => one.readLock().lock());
      const signals = [writing.signal, reading.signal];
      expect(await one.readLock().forceUnlock()).toBe(false);
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
      expect(await one.writeLock().forceUnlock()).toBe(true);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
      const next = await other.readLock().tryLock();
      expect([await reading.unlock(), await writing.unlock()]).toEqual(['lost', 'lost']);
      expect(await next?.unlock()).toBe('released');
    }),
  );
});
