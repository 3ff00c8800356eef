import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import {
  LockNotAcquiredError,
  LockUnavailableError,
} from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { mulberry32 } from '../support/mulberry32.js';
import { scaled } from '../support/slowness.js';
import { fleetOf, type LockSubject } from './lock.fleet.js';

/** Numbers that look random and come again with their seed. */
function dice(seed: number): (below: number) => number {
  const next = mulberry32(seed);
  return (below) => next() % below;
}

/** Who believes to hold what: two holders of one lock that both believe break the first invariant. */
class Beliefs {
  readonly #open = new Map<string, Set<LockHandle>>();
  readonly broken: string[] = [];
  grants = 0;

  enter(handle: LockHandle): void {
    this.grants += 1;
    const others = this.#open.get(handle.name) ?? new Set();
    this.#open.set(handle.name, others);
    for (const other of others) {
      if (!isSameHold(other, handle) && other.isHeld)
        this.broken.push(`${handle.holder} got "${handle.name}" while ${other.holder} had it`);
    }
    others.add(handle);
  }

  leave(handle: LockHandle): void {
    this.#open.get(handle.name)?.delete(handle);
  }
}

/** A red lock has an id for each time that servers granted it: one that was completed later shares some with what it completes. */
function isSameHold(one: LockHandle, other: LockHandle): boolean {
  const ids = other.holder.split(' ');
  return one.holder.split(' ').some((id) => ids.includes(id));
}

/** A lease that ends while one is at work, in ms; half of it must do for a grant to arrive. */
const SHORT = scaled(100);

/** So many grants have met each other. */
const ENOUGH = 50;

/** Anything in any order, for as long as it takes to meet what nobody thought of. */
export function describeFuzz(subject: LockSubject): void {
  describe('whatever is done to it', () => {
    const fleet = fleetOf(subject, { lockWatchdogTimeout: 600 });

    async function user(service: LockService, seed: number, beliefs: Beliefs): Promise<void> {
      const throwDice = dice(seed);
      const pick = <T>(...from: readonly T[]): T => {
        const picked = from[throwDice(from.length)];
        if (picked === undefined) throw new Error('nothing to pick from');
        return picked;
      };

      const acquire = async (): Promise<LockHandle | null> => {
        const lock = subject.lock(service, pick('a', 'b'));
        const waitTime = pick(0, 0, 300, 60_000);
        const leaseTime = pick(null, null, SHORT, 1.5 * SHORT, 4 * SHORT) ?? undefined;
        const signal = throwDice(4) === 0 ? AbortSignal.timeout(throwDice(30)) : undefined;
        try {
          return await pick(lock.tryLock, lock.lock).call(lock, { waitTime, leaseTime, signal });
        } catch (error) {
          if (error instanceof LockNotAcquiredError || signal?.aborted === true) return null;
          // This process stood still for half of a short lease: a refusal as well.
          if (error instanceof LockUnavailableError && error.message.includes('half of their lease'))
            return null;
          // On a busy machine an answer may take longer than a short wait: a refusal, too.
          if (waitTime === 300 && error instanceof LockUnavailableError && /no answer/.test(error.message))
            return null;
          throw error;
        }
      };

      const section = async (depth: number): Promise<void> => {
        const handle = await acquire();
        if (handle === null) return;
        beliefs.enter(handle);
        if (throwDice(3) === 0) await sleep(throwDice(6));
        if (throwDice(40) === 0) await sleep(SHORT + 60);
        if (throwDice(5) === 0) await handle.extend(pick(SHORT, 2 * SHORT));
        // Only what has all it needs may wait inside: two that wait for each other's lock would wait for ever.
        if (subject.reentrant && depth < 3 && throwDice(3) === 0) {
          const again = await handle.run(() => subject.lock(service, handle.name).tryLock());
          if (again !== null) {
            beliefs.enter(again);
            if (throwDice(2) === 0) await sleep(throwDice(4));
            beliefs.leave(again);
            await again.unlock();
          }
        }
        beliefs.leave(handle);
        await handle.unlock();
      };

      const start = performance.now();
      const isTime = () => performance.now() < start + (beliefs.grants > ENOUGH ? 1500 : scaled(5000));
      while (isTime()) await section(0);
    }

    test.each([1, 2, 3])(
      'two holders never rely on it at once, and nothing is left in the end (seed %i)',
      async (seed) => {
        const beliefs = new Beliefs();
        const services = [fleet().one, fleet().other, await fleet().open({ handOver: { max: 2 } })];
        const users = services.flatMap((service, index) =>
          [1, 2, 3, 4].map((number) => user(service, seed * 100 + index * 10 + number, beliefs)),
        );
        await Promise.all(users);
        expect(beliefs.broken).toEqual([]);
        expect(beliefs.grants).toBeGreaterThan(ENOUGH);
      },
      20_000,
    );

    test('no caller hangs and nothing is left when locks are freed by force, or vanish, all the time', async () => {
      const beliefs = new Beliefs();
      const services = [fleet().one, fleet().other];
      const over = new AbortController();
      const users = Promise.all(
        services.flatMap((service, index) =>
          [1, 2, 3, 4].map((number) => user(service, index * 10 + number, beliefs)),
        ),
      ).finally(() => over.abort());
      const throwDice = dice(7);
      const takeAway = async () => {
        while (!over.signal.aborted) {
          const name = ['a', 'b'][throwDice(2)] ?? 'a';
          const by = services[throwDice(2)] ?? fleet().one;
          await (throwDice(2) === 0 ? fleet().wipe(name) : subject.lock(by, name).forceUnlock());
          await sleep(throwDice(20));
        }
      };
      await Promise.all([users, takeAway()]);
      expect(beliefs.grants).toBeGreaterThan(20);
    }, 20_000);
  });
}
