import { describe, expect, test } from 'vitest';
import { behind, fleetOf, type LockSubject } from './lock.fleet.js';

const NUMBERS = Array.from({ length: 50 }, (_, number) => number);

/** First come, first served, within one service. */
export function describeOrder(subject: LockSubject): void {
  describe('waiters in order', () => {
    const fleet = fleetOf(subject);
    const one = () => subject.lock(fleet().one, 'x');
    const other = () => subject.lock(fleet().other, 'x');

    test('of one service are granted in their order, whichever service held the lock', async () => {
      for (const lock of [one(), other()]) {
        const order: number[] = [];
        const waiters = await behind(lock, () =>
          NUMBERS.map((number) => one().using(async () => order.push(number))),
        );
        await Promise.all(waiters);
        expect(order).toEqual(NUMBERS);
      }
    });

    test('keep their order when leases of all kinds are mixed, and some leave', async () => {
      const order: number[] = [];
      const leases = [undefined, '2s', '3s'] as const;
      const waiters = await behind(other(), () =>
        NUMBERS.map(async (number) => {
          const abort = new AbortController();
          const waiting = one().using(async () => order.push(number), {
            leaseTime: leases[number % 3],
            signal: abort.signal,
          });
          if (number % 7 === 0) abort.abort();
          await waiting.catch(() => undefined);
        }),
      );
      await Promise.all(waiters);
      expect(order).toEqual(NUMBERS.filter((number) => number % 7 !== 0));
    });
  });
}
