import { expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';

test('a waiter that leaves since its own grant ends the hold before it gives the lock back', () =>
  KindStage.play('own', async (stage) => {
    const [one, other] = [await stage.faults.open(), await stage.faults.open()];
    const lock = one.getFairLock('x');
    const held = await lock.lock();
    // What it waits for is of no use to it once the hold before is lost.
    const waiting = lock.lock({ signal: AbortSignal.any([held.signal]) });
    waiting.catch(() => undefined);
    await until('it stands in the queue', async () => (await stage.queue('x')).length === 1);
    // Redis gives the lock to the waiter: only by that does this process learn that its hold has nothing any more.
    await other.getFairLock('x').forceUnlock();
    await expect(waiting).rejects.toBeInstanceOf(LockLostError);
    await until('nobody has it', async () => !(await other.getFairLock('x').isLocked()));
    await until('nothing is left of it here', () => one.engine.localLocks.size === 0);
  }));
