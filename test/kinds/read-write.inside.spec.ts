import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { name, play, type ReadWriteScene } from './read-write.scene.js';

/** The lease of a write, in ms. */
const LEASE = scaled(2000);
const options = { timeout: scaled(20_000) };

/** What is left of the lock in Redis, in ms. */
const left = ({ stage }: ReadWriteScene) => stage.faults.admin.pttl(stage.faults.key(name));

describe.concurrent('a read inside of a write, when it ends, leaves the lock for as long as the write needs it', () => {
  test(
    'with a fixed lease',
    options,
    play(async (scene) => {
      const { one } = scene;
      const begun = performance.now();
      const writing = await one.writeLock().lock({ leaseTime: LEASE });
      const reading = await writing.run(() => one.readLock().lock());
      expect(await left(scene)).toBeGreaterThan(LEASE);
      expect(await reading.unlock()).toBe('released');
      const rest = await left(scene);
      expect(rest).toBeLessThanOrEqual(LEASE);
      expect(rest).toBeGreaterThan(LEASE - (performance.now() - begun) - 50);
      expect(writing.isHeld).toBe(true);
      expect(await writing.unlock()).toBe('released');
    }),
  );

  test(
    'where another read of it goes on, for as long as that needs it',
    options,
    play(async (scene) => {
      const { one } = scene;
      const writing = await one.writeLock().lock({ leaseTime: LEASE });
      const outer = await writing.run(() => one.readLock().lock({ leaseTime: 2 * LEASE }));
      const inner = await outer.run(() => one.readLock().lock());
      expect(await inner.unlock()).toBe('kept');
      const rest = await left(scene);
      expect(rest).toBeLessThanOrEqual(2 * LEASE);
      expect(rest).toBeGreaterThan(LEASE);
      expect(await outer.unlock()).toBe('released');
      expect(await left(scene)).toBeLessThanOrEqual(LEASE);
      expect(await writing.unlock()).toBe('released');
    }),
  );

  test(
    'with a lease that is renewed',
    options,
    play(
      async (scene) => {
        const { one } = scene;
        const writing = await one.writeLock().lock();
        const reading = await writing.run(() => one.readLock().lock({ leaseTime: '1h' }));
        expect(await reading.unlock()).toBe('released');
        const start = performance.now();
        await until(
          'two leases of the watchdog are over',
          async () => {
            expect(await left(scene)).toBeLessThanOrEqual(LEASE);
            return performance.now() - start > 2 * LEASE;
          },
          2 * LEASE + 5000,
        );
        expect([writing.isHeld, writing.signal.reason]).toEqual([true, undefined]);
        expect(await writing.unlock()).toBe('released');
      },
      { lockWatchdogTimeout: LEASE },
    ),
  );

  test(
    'whatever is done to the write in the same moment',
    options,
    play(async (scene) => {
      const { one } = scene;
      for (let round = 0; round < 20; round += 1) {
        const writing = await one.writeLock().lock({ leaseTime: LEASE });
        const reading = await writing.run(() => one.readLock().lock());
        const extend = () => writing.extend(3 * LEASE);
        const reenter = () => writing.run(() => one.writeLock().lock({ leaseTime: 3 * LEASE }));
        const change = round % 2 === 0 ? extend : reenter;
        const isFirst = round % 4 < 2;
        const changed = isFirst ? change() : undefined;
        const unlocked = reading.unlock();
        const inner = await (changed ?? change());
        expect(await unlocked).toBe('released');
        const rest = await left(scene);
        expect(rest).toBeLessThanOrEqual(3 * LEASE);
        expect(rest).toBeGreaterThan(2 * LEASE);
        expect(writing.isHeld).toBe(true);
        if (typeof inner !== 'boolean') await inner.unlock();
        expect(await writing.unlock()).toBe('released');
      }
    }),
  );
});
