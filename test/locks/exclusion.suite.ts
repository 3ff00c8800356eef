import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

const HOLDER = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}:\d+$/;

/** A counter that is wrong as soon as two are at work on it at once. */
class Counter {
  value = 0;
  busy = 0;
  most = 0;

  async add(): Promise<void> {
    this.busy += 1;
    this.most = Math.max(this.most, this.busy);
    const read = this.value;
    await turn();
    this.value = read + 1;
    this.busy -= 1;
  }

  /** Adds `times` times under `lock`, once after the other. */
  async addUnder(lock: Lock, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) await lock.using(() => this.add());
  }
}

/** One holder at a time, whoever asks. */
export function describeExclusion(subject: LockSubject): void {
  describe('exclusion', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('admits one of two services at a time', async () => {
      const counter = new Counter();
      await Promise.all([one(), one(), other(), other()].map((lock) => counter.addUnder(lock, 50)));
      expect(counter).toMatchObject({ value: 200, most: 1 });
    });

    test(
      `lets one of 100 siblings of one request in at a time, ${subject.turns} times each`,
      async () => {
        const counter = new Counter();
        await subject.lock(fleet().one, 'the request').using(async () => {
          await Promise.all(Array.from({ length: 100 }, () => counter.addUnder(one(), subject.turns)));
        });
        expect(counter).toMatchObject({ value: 100 * subject.turns, most: 1 });
      },
      scaled(60_000),
    );

    test('refuses a second service until the first has unlocked', async () => {
      const held = await one().lock();
      expect(await other().tryLock()).toBeNull();
      expect(await one().tryLock()).toBeNull();
      expect(await held.unlock()).toBe('released');
      const next = await other().tryLock();
      expect(next?.isHeld).toBe(true);
      expect(await next?.unlock()).toBe('released');
    });

    test('grants one of ten services that request it at once', async () => {
      const services: LockService[] = [];
      // One after the other: ten clients of a cluster that start at once take each other's CPU until their own time limits end.
      for (let service = 1; service <= 10; service += 1) services.push(await fleet().open());
      const handles = await Promise.all(services.map((service) => subject.lock(service, 'x').tryLock()));
      const granted = handles.filter((handle) => handle !== null);
      expect(granted).toHaveLength(1);
      expect(await granted[0]?.unlock()).toBe('released');
    });

    test('does not take locks of two names for one', async () => {
      const held = await one().lock();
      const free = await subject.lock(fleet().other, 'y').tryLock();
      expect(free?.isHeld).toBe(true);
      await Promise.all([held.unlock(), free?.unlock()]);
    });

    test('does not take the hold of one service for that of another in the same scope', async () => {
      await one().using(async () => {
        expect(other().isHeld()).toBe(false);
        expect(await other().tryLock()).toBeNull();
      });
    });

    test('gives every outermost acquisition a holder id of its own', async () => {
      const ids = new Set<string>();
      for (let time = 0; time < 20; time += 1) {
        await one().using(({ holder }) => {
          expect(holder).toMatch(subject.holderId ?? HOLDER);
          ids.add(holder);
        });
      }
      expect(ids.size).toBe(20);
    });

    test('reads from Redis whether it is locked, and for how long', async () => {
      expect(await other().isLocked()).toBe(false);
      expect(await other().remainTimeToLive()).toBe(-2);
      const held = await one().lock();
      expect(await other().isLocked()).toBe(true);
      expect(await other().remainTimeToLive()).toBeGreaterThan(20_000);
      await held.unlock();
      expect(await other().isLocked()).toBe(false);
    });
  });
}
