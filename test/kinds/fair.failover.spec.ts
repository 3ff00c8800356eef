import { describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { SlowAnswers } from '../support/faults/slow.answers.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { scaled } from '../support/slowness.js';
import { KindStage } from './kind.stage.js';

const name = 'x';
const options = { timeout: scaled(20_000) };

/** Reads the lock and its queue; the result puts them back, as a failover does to a replica without the last writes. */
async function snapshot(stage: KindStage): Promise<() => Promise<void>> {
  const { admin, services } = stage.faults;
  const read = async (key: string) => ({
    key,
    value: await admin.dumpBuffer(key),
    ttl: Math.max(await admin.pttl(key), 0),
  });
  const stored = await Promise.all((await services.keys()).map(read));
  return async () => {
    for (const { key, value, ttl } of stored)
      if (value !== null) await admin.restore(key, ttl, value, 'REPLACE');
  };
}

/** Has waiters of a process leave, each with the lock; Redis then has them in its queue again, and no holder. @returns the process */
async function loseReleases(stage: KindStage, waiters: number, wire?: TcpProxy): Promise<LockService> {
  const [holder, process] = [await stage.faults.open(), await stage.faults.open({}, wire)];
  const held = await holder.getFairLock(name).lock();
  const waiting = Array.from({ length: waiters }, () => process.getFairLock(name).using(() => undefined));
  await stage.queued(name, waiters);
  const restore = await snapshot(stage);
  await held.unlock();
  await Promise.all(waiting);
  await restore();
  await stage.faults.admin.del(stage.faults.key(name));
  return process;
}

/** Calls until it gets a handle, for 6 s at most. @returns after how many ms it did */
async function granted(call: () => Promise<LockHandle | null>): Promise<number> {
  const start = performance.now();
  let handle = await call();
  while (handle === null && performance.now() - start < scaled(6000)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    handle = await call();
  }
  expect(await handle?.unlock()).toBe('released');
  return performance.now() - start;
}

describe('a failover', () => {
  test.each([1, 5])(
    'that loses the releases of %i waiters does not leave them in the way of the next one of their process',
    options,
    (waiters) =>
      KindStage.play('shared', async (stage) => {
        const process = await loseReleases(stage, waiters);
        const call = () => process.getFairLock(name).lock({ waitTime: scaled(5000) });
        expect(await granted(call)).toBeLessThan(scaled(2500));
      }),
  );

  test.each([
    ['waits for less than a heartbeat', { waitTime: 200 }, 1000],
    ['does not wait', {}, 1000],
  ])(
    'that loses the release of a waiter lets a caller of its process in that %s',
    options,
    (_how, terms, limit) =>
      KindStage.play('shared', async (stage) => {
        const process = await loseReleases(stage, 1);
        expect(await granted(() => process.getFairLock(name).tryLock(terms))).toBeLessThan(scaled(limit));
      }),
  );

  test.each([
    ['are refused by the first answer', 20],
    ['have left before the first answer', 150],
  ])(
    'that loses the release of a waiter lets others in while callers of its process %s',
    options,
    (_when, waitTime) =>
      KindStage.play('shared', async (stage) => {
        const [wire, other] = [await stage.faults.proxy(), await stage.faults.open()];
        const process = await loseReleases(stage, 1, wire);
        void new SlowAnswers(wire, 300);
        const over = new AbortController();
        const call = () => other.getFairLock(name).lock({ waitTime: scaled(5000) });
        const waiting = granted(call).finally(() => over.abort());
        const callers = async () => {
          const lock = process.getFairLock(name);
          while (!over.signal.aborted) await lock.using(() => undefined, { waitTime }).catch(() => undefined);
        };
        const [waited] = await Promise.all([waiting, callers()]);
        expect(waited).toBeLessThan(scaled(2500));
      }),
  );

  test.each([
    ['in time', 0],
    ['after commandTimeout', scaled(600)],
  ])(
    'that loses that a waiter left does not have its own process hand the lock off to it, by an answer that comes %s',
    options,
    (_when, delay) =>
      KindStage.play('shared', async (stage) => {
        const [wire, other] = [await stage.faults.proxy(), await stage.faults.open()];
        const process = await stage.faults.open({ commandTimeout: scaled(500) }, wire);
        const held = await process.getFairLock(name).lock();
        const leaving = new AbortController();
        const waiting = process.getFairLock(name).lock({ signal: leaving.signal });
        await stage.queued(name, 1);
        const restore = await snapshot(stage);
        leaving.abort('left');
        await expect(waiting).rejects.toBe('left');
        await stage.queued(name, 0);
        await restore();
        void new SlowAnswers(wire, delay);
        expect(await held.unlock()).toBe('released');
        const call = () => other.getFairLock(name).lock({ waitTime: scaled(5000) });
        expect(await granted(call)).toBeLessThan(scaled(2500));
      }),
  );
});
