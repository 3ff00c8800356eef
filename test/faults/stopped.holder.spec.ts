import { afterAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import type { FaultWorker } from '../support/faults/fault.worker.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { LoopLag } from '../support/faults/loop.lag.js';

/** The lease in these tests, in ms. */
const LEASE = 1000;
const name = 'x';
const options = { timeout: scaled(20_000) };

/** What this process is late by itself is not the library's. */
const lag = new LoopLag();
afterAll(() => lag.stop());

interface Scene {
  readonly stage: FaultStage;
  /** The process that holds, and to which everything happens. */
  readonly worker: FaultWorker;
  readonly other: LockService;
}

async function play(act: (scene: Scene) => Promise<void>): Promise<void> {
  const stage = FaultStage.shared();
  try {
    const worker = await stage.fork('hold.worker.js', { lockWatchdogTimeout: LEASE });
    await act({ stage, worker, other: await stage.open() });
    await worker.kill();
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
}

/** The holder has stood still beyond its lease, and somebody else has the lock: it must know, and harm nobody. */
async function expectHarmless(
  { stage, worker }: Scene,
  next: { readonly holder: string; readonly isHeld: boolean },
): Promise<void> {
  expect(await worker.first('aborted')).toMatchObject({ name, code: 'LOST' });
  expect(await worker.ask({ do: 'is-held', name })).toBe(false);
  const before = await stage.admin.pttl(stage.key(name));
  expect(await worker.ask({ do: 'unlock', name })).toBe('lost');
  expect(await stage.counts(name)).toEqual({ [next.holder]: '1' });
  expect(await stage.admin.pttl(stage.key(name))).toBeGreaterThan(before - scaled(1000));
  expect(next.isHeld).toBe(true);
  expect(worker.of('trouble')).toEqual([]);
}

describe.concurrent('a process stopped for longer than its lease', () => {
  test.for([
    { by: 'loop', lease: 'watched' },
    { by: 'timer', lease: 'watched' },
    { by: 'loop', lease: 'fixed' },
    { by: 'timer', lease: 'fixed' },
  ] as const)(
    'wakes up with isHeld false ($lease lease, seen by a $by), and harms no other holder',
    options,
    ({ by, lease }) =>
      play(async (scene) => {
        const { worker, other } = scene;
        await worker.ask({ do: 'hold', names: [name], ...(lease === 'fixed' ? { leaseTime: LEASE } : {}) });
        const granted = performance.now();
        await worker.order({ do: 'watch', name, gap: LEASE / 2, by }, 'watching');
        worker.signal('SIGSTOP');
        const next = await other.getLock(name).lock();
        expect(performance.now() - granted).toBeLessThan(LEASE + scaled(300));
        await until('twice the lease is over', () => performance.now() - granted > 2 * LEASE);
        expect(worker.of('aborted')).toEqual([]);
        worker.signal('SIGCONT');
        const { sighting } = await worker.first('seen');
        expect(sighting.gap).toBeGreaterThan(LEASE);
        // In a loop nothing at all has been handled since; the handle knows by the clock, and its signal follows at once.
        expect(by === 'timer' || !sighting.wasAborted).toBe(true);
        expect([sighting.isHeld, sighting.isAborted]).toEqual([false, true]);
        await expectHarmless(scene, next);
        await next.unlock();
      }),
  );

  test('may have lost nothing when it was stopped for less, and goes on', options, () =>
    play(async ({ worker, other }) => {
      await worker.ask({ do: 'hold', names: [name] });
      worker.signal('SIGSTOP');
      const start = performance.now();
      await until('a third of the lease is over', () => performance.now() - start > LEASE / 3);
      worker.signal('SIGCONT');
      await until('a whole lease is over', () => performance.now() - start > 1.5 * LEASE);
      expect(await worker.ask({ do: 'is-held', name })).toBe(true);
      expect(worker.of('aborted')).toEqual([]);
      expect(await other.getLock(name).tryLock()).toBeNull();
      expect(await worker.ask({ do: 'unlock', name })).toBe('released');
    }),
  );
});

describe.concurrent('a holder', () => {
  test(
    'whose event loop was blocked for longer than its lease finds isHeld false at its first instruction',
    options,
    () =>
      play(async (scene) => {
        const { worker, other } = scene;
        await worker.ask({ do: 'hold', names: [name] });
        const blocked = worker.ask({ do: 'block', name, ms: 2 * LEASE });
        const next = await other.getLock(name).lock();
        expect(await blocked).toMatchObject({ wasAborted: false, isHeld: false, isAborted: true });
        await expectHarmless(scene, next);
        await next.unlock();
      }),
  );

  test.for([{ lease: 'watched' }, { lease: 'fixed' }])(
    'that is killed leaves its lock to the next one within 100 ms of the end of its lease ($lease)',
    options,
    ({ lease }) =>
      play(async ({ stage, worker, other }) => {
        await worker.ask({
          do: 'hold',
          names: [name, 'y'],
          ...(lease === 'fixed' ? { leaseTime: LEASE } : {}),
        });
        const sleeping = other.getLock(name).lock();
        await until('the waiter sleeps', async () => (await stage.sleepers(name)) === 1);
        await worker.kill();
        const late = other.getLock('y').lock();
        const start = performance.now();
        const [x = 0, y = 0] = await Promise.all(
          [name, 'y'].map((lock) => stage.admin.pttl(stage.key(lock))),
        );
        const took = (waiting: Promise<unknown>) => waiting.then(() => performance.now() - start);
        const [first, second] = await Promise.all([took(sleeping), took(late)]);
        expect(first).toBeLessThan(x + scaled(100) + lag.worst);
        expect(second).toBeLessThan(y + scaled(100) + lag.worst);
        for (const handle of [await sleeping, await late]) expect(await handle.unlock()).toBe('released');
      }),
  );
});
