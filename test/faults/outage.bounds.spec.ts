import { afterAll, describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import {
  DistributedLockError,
  LockUnavailableError,
} from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { LoopLag } from '../support/faults/loop.lag.js';
import { OUTAGES, type Outage } from '../support/faults/outages.js';

/** The deadline of one round trip, in ms: the default. */
const COMMAND_TIMEOUT = 1000;

const lag = new LoopLag();
afterAll(() => lag.stop());

/** How exactly a bound is kept, in ms; what this process is late by itself is not the library's. */
const exactness = () => scaled(50) + lag.worst;

interface Ending {
  /** In ms. */
  readonly took: number;
  readonly reason: unknown;
}

/** How a call ended that must not succeed. */
async function ending(call: () => Promise<unknown>): Promise<Ending> {
  const start = performance.now();
  try {
    return { took: NaN, reason: `gave ${String(await call())}` };
  } catch (reason) {
    return { took: performance.now() - start, reason };
  }
}

/** @param code of the error, or the reason that a signal was given */
function expectKept(what: string, bound: number, { took, reason }: Ending, code: string): void {
  expect(reason instanceof DistributedLockError ? reason.code : reason, what).toBe(code);
  expect(took, what).toBeGreaterThan(bound - 1);
  expect(took, what).toBeLessThan(bound + exactness());
}

interface Scene {
  readonly stage: FaultStage;
  readonly service: LockService;
  /** The service holds "mine", another one holds "theirs". */
  readonly mine: LockHandle;
  begin(): Promise<void>;
}

/** Plays on a Redis of its own; after the outage nothing may be left. */
async function play(outage: Outage, act: (scene: Scene) => Promise<void>): Promise<void> {
  const stage = await FaultStage.own();
  const wire = await stage.proxy();
  try {
    const [service, other] = [await stage.open({}, wire), await stage.open({}, wire)];
    const mine = await service.getLock('mine').lock();
    const theirs = await other.getLock('theirs').lock();
    await act({ stage, service, mine, begin: async () => await outage.begin(stage, wire) });
    await outage.end(stage, wire);
    await Promise.all([mine, theirs].map((handle) => handle.unlock().catch(() => undefined)));
    await stage.expectNothingLeft(10_000);
  } finally {
    await stage.close();
  }
}

describe.concurrent.each(OUTAGES)('while Redis is $name', (outage) => {
  const options = { timeout: scaled(20_000) };

  test('waitTime and signal bound every call, and no call gets a busy error', options, () =>
    play(outage, async ({ service, mine, begin }) => {
      const free = (name: string) => service.getLock(name);
      await begin();
      const waits: [string, number, Promise<Ending>][] = [
        ['tryLock for 300 ms', 300, ending(() => free('a').tryLock({ waitTime: 300 }))],
        ['lock for 300 ms', 300, ending(() => free('b').lock({ waitTime: 300 }))],
        ['lock for 2.2 s', 2200, ending(() => free('c').lock({ waitTime: 2200 }))],
        ['using for 300 ms', 300, ending(() => free('d').using(() => 'ran', { waitTime: 300 }))],
        ['re-entry for 300 ms', 300, ending(() => mine.run(() => free('mine').lock({ waitTime: 300 })))],
        ['re-entry for 1.5 s', 1500, ending(() => mine.run(() => free('mine').tryLock({ waitTime: 1500 })))],
        ['lock of another for 300 ms', 300, ending(() => free('theirs').tryLock({ waitTime: 300 }))],
      ];
      const abort = new AbortController();
      const { signal } = abort;
      const aborts = [
        ending(() => free('e').lock({ signal })),
        ending(() => free('f').tryLock({ signal })),
        ending(() => mine.run(() => free('mine').lock({ signal }))),
      ];
      const start = performance.now();
      await until('it is time', () => performance.now() > start + 200);
      const aborted = performance.now() - start;
      abort.abort('left');
      for (const end of aborts) expectKept('an aborted call', aborted, await end, 'left');
      for (const [what, bound, end] of waits) expectKept(what, bound, await end, 'UNAVAILABLE');
    }),
  );

  test(
    'a call that does not wait ends within the deadline of a round trip, and never returns null',
    options,
    () =>
      play(outage, async ({ service, begin }) => {
        await begin();
        const ends = await Promise.all([
          ending(() => service.getLock('a').tryLock()),
          ending(() => service.getLock('b').tryLock({ leaseTime: '10s' })),
          ending(() => service.getLock('c').lock({ waitTime: 0 })),
          ending(() => service.getLock('theirs').tryLock()),
          ending(() => service.getLock('d').isLocked()),
          ending(() => service.getLock('d').forceUnlock()),
        ]);
        for (const { took, reason } of ends) {
          expect(reason).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE' });
          expect(took).toBeLessThan(COMMAND_TIMEOUT + exactness());
        }
      }),
  );

  test('a waiter that slept when it began is bounded as well', options, () =>
    play(outage, async ({ stage, service, begin }) => {
      const sleeping = ending(() => service.getLock('theirs').lock({ waitTime: 900 }));
      await until('it sleeps', async () => (await stage.sleepers('theirs')) === 1);
      await begin();
      const end = await sleeping;
      // It was told that the lock is taken, and knows of nothing newer; or it knows that Redis is away.
      const isKnown = end.reason instanceof LockUnavailableError;
      expectKept('a sleeping waiter', 900, end, isKnown ? 'UNAVAILABLE' : 'NOT_ACQUIRED');
    }),
  );
});
