import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { KindStage } from './kind.stage.js';

const name = 'x';

/** Reads the lock and its queue; the result puts them back, as a failover does to a replica without the last writes. */
async function snapshot(stage: KindStage): Promise<() => Promise<void>> {
  const { admin, services } = stage.faults;
  const keys = await services.keys();
  const values = await Promise.all(keys.map(async (key) => [key, await dump(admin, key)] as const));
  return async () => {
    for (const [key, value] of values) await admin.restore(key, 0, value, 'REPLACE');
  };
}

async function dump(admin: Redis, key: string): Promise<Buffer> {
  return (await admin.dumpBuffer(key)) ?? Buffer.alloc(0);
}

/** Has the waiters of a process leave; Redis then has them in its queue again, with no holder before them. @returns the process */
async function loseReleases(stage: KindStage, waiters: number): Promise<LockService> {
  const [holder, process] = [await stage.faults.open(), await stage.faults.open()];
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

test.each([1, 5])(
  'a failover that loses the releases of %i waiters does not leave them in the way of the next one of their process',
  { timeout: scaled(20_000) },
  (waiters) =>
    KindStage.play('shared', async (stage) => {
      const process = await loseReleases(stage, waiters);
      const start = performance.now();
      // Its signs of life are for all of its waiters.
      const next = await process.getFairLock(name).lock({ waitTime: scaled(5000) });
      expect(performance.now() - start).toBeLessThan(scaled(3000));
      expect(await next.unlock()).toBe('released');
    }),
);
