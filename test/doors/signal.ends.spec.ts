import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertLocked, currentLock, LockLostError, type CurrentLock } from 'nestjs-distributed-lock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gate } from '../locks/gate.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { DoorStage } from './door.stage.js';
import { DOORS, JOBS, WorkStage } from './work.doors.js';
import type { Piece } from './work.pieces.js';

/** Work that leaves something behind which outlives its scope. */
class Outliving implements Piece {
  readonly #gate = new Gate();
  /** Read inside of the scope. */
  signal: AbortSignal | undefined;
  wasAborted: boolean | undefined;
  lock: CurrentLock | undefined;
  /** Runs in the scope, also when that is dead. */
  inScope: <T>(read: () => T) => T = (read) => read();

  readonly give = async (): Promise<void> => {
    this.inScope = AsyncLocalStorage.snapshot();
    this.lock = currentLock();
    this.signal = this.lock?.signal;
    this.wasAborted = this.signal?.aborted;
    await this.#gate.opened;
  };

  readonly take = () => undefined;
  readonly end = () => this.#gate.open();
  readonly began = () => this.lock !== undefined;
}

let stage: DoorStage;
let work: WorkStage;
beforeAll(async () => {
  stage = new DoorStage();
  work = await WorkStage.open(stage, { scope: { make: () => new Outliving() } });
}, scaled(30_000));
afterAll(async () => {
  const { services } = stage;
  await work.app.close();
  await services.admin.del(await services.keys());
  await stage.close();
});

/** Everything that a dead scope can be asked. */
function expectOver({ signal, lock, inScope }: Outliving, name: string): void {
  expect(signal?.reason).toBeInstanceOf(LockLostError);
  expect(() => signal?.throwIfAborted()).toThrow(LockLostError);
  expect(lock?.isHeld).toBe(false);
  expect(() => lock?.assertHeld()).toThrow(LockLostError);
  expect(inScope(() => currentLock())).toBe(lock);
  expect(inScope(() => currentLock()?.signal)).toBe(signal);
  expect(() => inScope(() => assertLocked(name))).toThrow(LockLostError);
}

// A plain semaphore opens no scope; its signal has a test of its own below.
const SCOPES = Object.entries(DOORS).filter(([name]) => name !== 'semaphore.using');

test.each(SCOPES)(
  'a scope of %s that is over has an aborted signal',
  { timeout: scaled(20_000) },
  async (name, door) => {
    const lock = `${name}:scope`;
    const piece = name in JOBS ? work.pieces.get(lock) : new Outliving();
    if (!(piece instanceof Outliving)) throw new Error(`the application has no piece for ${lock}`);
    const isHeld = () => door.isHeld?.(work, lock) ?? work.witness.getLock(lock).isLocked();
    const run = door.run(work, lock, piece);
    await until('it has begun', piece.began);
    expect(piece.wasAborted).toBe(false);
    piece.end();
    await run;
    await until('it is free', async () => !(await isHeld()));
    expectOver(piece, piece.lock?.name ?? '');
  },
);

describe('a signal', () => {
  test('is aborted by the release, with the reason that the work outlived its lock', async () => {
    const handle = await work.locks.getLock('released').lock();
    const { signal } = handle;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
    expect(await handle.unlock()).toBe('released');
    await aborted;
    const over = { name: 'LockLostError', code: 'RELEASED', lock: 'released', why: 'it was unlocked' };
    expect(signal.reason).toMatchObject(over);
    expect(() => handle.assertHeld()).toThrow(expect.objectContaining(over));
  });

  test('that is first read after the release is aborted', async () => {
    const handle = await work.locks.getLock('late').lock();
    await handle.unlock();
    expect(handle.signal.reason).toMatchObject({ code: 'RELEASED' });
    const group = await work.locks.getMultiLock('late', 'later').lock();
    await group.unlock();
    expect(group.signal.reason).toMatchObject({ code: 'RELEASED', lock: 'late, later' });
  });

  test('of a re-entry is over with that, and the outer one is not', async () => {
    await work.locks.using('outer', async (outer) => {
      const inner = await work.locks.using('outer', async (handle) => handle.signal);
      expect(inner.reason).toMatchObject({ code: 'RELEASED' });
      expect([outer.signal.aborted, outer.isHeld]).toEqual([false, true]);
    });
  });

  test('of permits is aborted when they are given back', async () => {
    const semaphore = work.locks.getSemaphore('permits');
    await semaphore.trySetPermits(1);
    const signal = await semaphore.using((taken) => taken.signal);
    expect(signal.reason).toMatchObject({ code: 'RELEASED', why: 'its permits were released' });
  });

  test('of a lock that was lost keeps that reason, whatever is unlocked later', async () => {
    for (const lock of [work.locks.getLock('lost'), work.locks.getMultiLock('lost', 'kept')]) {
      const handle = await lock.lock();
      await work.locks.getLock('lost').forceUnlock();
      await until('the loss is known', () => !handle.isHeld);
      expect(await handle.unlock()).toBe('lost');
      expect(handle.signal.reason).toMatchObject({ code: 'LOST' });
      expect(() => handle.assertHeld()).toThrow(expect.objectContaining({ code: 'LOST' }));
    }
  });

  test('is aborted before another caller of the same process has the lock', async () => {
    const seen: (boolean | undefined)[] = [];
    let signal: AbortSignal | undefined;
    const next = async () => void seen.push(signal?.aborted);
    await work.locks.using('handed', async (handle) => {
      ({ signal } = handle);
      void work.locks.engine.context.outside(() => work.locks.using('handed', next));
      // Long enough to stand behind this one.
      await sleep(20);
    });
    await until('the next one ran', () => seen.length === 1);
    expect(seen).toEqual([true]);
  });
});
