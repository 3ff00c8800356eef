import { describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { KindStage } from '../kinds/kind.stage.js';
import { Stopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import type { TakenKind } from '../workers/kinds/kind.protocol.js';
import { BOUND, SHORT } from './shorter.stage.js';

type LockOf = (service: LockService, name: string) => Lock;

const KINDS: readonly (readonly [TakenKind, LockOf])[] = [
  ['reentrant', (service, name) => service.getLock(name)],
  ['fenced', (service, name) => service.getFencedLock(name)],
  ['fair', (service, name) => service.getFairLock(name)],
];

/** Whether the process that has the lock is killed, or only keeps it for longer than its lease. */
const ENDS = ['is killed', 'overruns its lease'] as const;

/** The waiter in this process sleeps, for as long as it was told. */
async function isAsleep(service: LockService): Promise<void> {
  const { subscriptions } = service.engine.context;
  await until('the waiter listens', () => subscriptions.size > 0);
  for (let trip = 0; trip < 20; trip += 1) await service.getLock('elsewhere').isLocked();
}

describe.each(KINDS)('a %s lock that another process handed off with a shorter lease', (kind, lockOf) => {
  test.each(ENDS)('is acquired within that lease + 100 ms when its process %s', async (end) => {
    await KindStage.play('shared', async (stage) => {
      const worker = await stage.fork();
      const service = await stage.faults.open();
      worker.take(1, kind, 'x');
      await worker.told('granted', 1);
      worker.takeFor(SHORT, 2, kind, 'x');
      if (kind === 'fair') await stage.queued('x', 1);
      const waiting = lockOf(service, 'x').lock({ waitTime: '25s' });
      await isAsleep(service);
      worker.unlock(1);
      await worker.told('granted', 2);
      const watch = new Stopwatch();
      if (end === 'is killed') await worker.kill();
      const handle = await waiting;
      const took = watch.ms;
      await handle.unlock();
      expect(took).toBeLessThanOrEqual(SHORT + BOUND);
    });
  });
});

test('a read lock is acquired by a writer within the shorter lease + 100 ms when the longest reader ended and the process is killed', async () => {
  await KindStage.play('shared', async (stage) => {
    const worker = await stage.fork();
    const service = await stage.faults.open();
    worker.takeFor(SHORT, 1, 'read', 'x');
    await worker.told('granted', 1);
    worker.take(2, 'read', 'x');
    await worker.told('granted', 2);
    const waiting = service.getReadWriteLock('x').writeLock().lock({ waitTime: '25s' });
    await isAsleep(service);
    worker.unlock(2);
    await worker.told('ended', 2);
    const watch = new Stopwatch();
    await worker.kill();
    const handle = await waiting;
    const took = watch.ms;
    await handle.unlock();
    expect(took).toBeLessThanOrEqual(SHORT + BOUND);
  });
});
