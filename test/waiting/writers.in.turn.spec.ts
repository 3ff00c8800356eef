import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { KindStage } from '../kinds/kind.stage.js';
import { scaled } from '../support/slowness.js';
import { Stopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { COMES_WITHIN, places, settled } from './queue.stage.js';
import { BOUND } from './shorter.stage.js';

const writeLockOf = (service: LockService) => service.getReadWriteLock('x').writeLock();
const readLockOf = (service: LockService) => service.getReadWriteLock('x').readLock();

/** Waits until so many processes wait to read. */
async function readersWait(stage: KindStage, count: number): Promise<void> {
  const channel = `${stage.beside('redisson_rwlock', 'x')}:readers`;
  await until(
    `${count} processes wait to read`,
    async () => Number((await stage.faults.admin.pubsub('NUMSUB', channel))[1]) === count,
  );
}

describe('readers among processes that wait to write', () => {
  test.each([0, 1])(
    'are notified also in a process that listens for the queue: listener %i',
    async (which) => {
      await KindStage.play('shared', async (stage) => {
        const [holder, one, other] = await Promise.all([1, 2, 3].map(() => stage.faults.open()));
        if (holder === undefined || one === undefined || other === undefined) throw new Error('no service');
        for (let turn = 0; turn < 6; turn += 1) {
          const held = await writeLockOf(holder).lock();
          const writers = [];
          for (const [index, service] of [one, other].entries()) {
            writers.push(writeLockOf(service).using(() => sleep(2)));
            await places(stage, index + 1);
          }
          const reading = readLockOf(which === 0 ? one : other).using(() => sleep(2));
          await readersWait(stage, 1);
          const watch = new Stopwatch();
          await held.unlock();
          await Promise.all([...writers, reading]);
          expect(watch.ms).toBeLessThan(3 * (COMES_WITHIN + BOUND));
        }
        await settled(stage);
      });
    },
  );

  test('have their share of the turns while writers are busy, and the writers have theirs', async () => {
    await KindStage.play('shared', async (stage) => {
      const services = await Promise.all([1, 2, 3, 4].map(() => stage.faults.open()));
      const end = performance.now() + scaled(3000);
      const count = async (lock: ReturnType<typeof writeLockOf>) => {
        let holds = 0;
        for (; performance.now() < end; holds += 1) await lock.using(() => sleep(2));
        return holds;
      };
      const all = await Promise.all(
        services.flatMap((service) => [count(writeLockOf(service)), count(readLockOf(service))]),
      );
      await settled(stage);
      const equal = all.reduce((sum, holds) => sum + holds, 0) / all.length;
      for (const holds of all) expect(holds / equal, all.join(', ')).toBeGreaterThan(0.2);
    });
  });

  test('of a steady stream let a writer in that was left for their turn', async () => {
    await KindStage.play('shared', async (stage) => {
      const [holder, writer, ...readers] = await Promise.all([1, 2, 3, 4].map(() => stage.faults.open()));
      if (holder === undefined || writer === undefined) throw new Error('no service');
      const over = new AbortController();
      // The first release with others is left to them.
      const held = await writeLockOf(holder).lock();
      const again = writeLockOf(writer).lock();
      await places(stage, 1);
      // Of each service two read by turns, so that the lock is never free.
      const streams = readers.flatMap((service) =>
        [0, 1].map(async (late) => {
          await sleep(late * 10);
          while (!over.signal.aborted) await readLockOf(service).using(() => sleep(20));
        }),
      );
      await readersWait(stage, readers.length);
      const watch = new Stopwatch();
      await held.unlock();
      await (await again).unlock();
      expect(watch.ms).toBeLessThan(20 + 2 * COMES_WITHIN + BOUND);
      over.abort();
      await Promise.all(streams);
      await settled(stage);
    });
  });
});

test('the last reader notifies the first process that waits to write, past one that is stopped', async () => {
  await KindStage.play('shared', async (stage) => {
    const reader = await stage.faults.open();
    const reading = await readLockOf(reader).lock();
    const workers = await Promise.all([0, 1].map(() => stage.fork()));
    for (const [index, worker] of workers.entries()) {
      worker.take(index, 'write', 'x');
      await places(stage, index + 1);
    }
    workers[0]?.signal('SIGSTOP');
    const watch = new Stopwatch();
    await reading.unlock();
    await workers[1]?.told('granted', 1);
    expect(watch.ms).toBeLessThan(COMES_WITHIN + BOUND);
    workers[0]?.signal('SIGCONT');
    workers[1]?.unlock(1);
    await workers[0]?.told('granted', 0);
    workers[0]?.unlock(0);
    await settled(stage);
  });
});

test('a downgrade lets readers in, and processes that wait to write when all of them have ended', async () => {
  await KindStage.play('shared', async (stage) => {
    const [one, other] = await Promise.all([1, 2].map(() => stage.faults.open()));
    if (one === undefined || other === undefined) throw new Error('no service');
    const writer = await writeLockOf(one).lock();
    const own = await writer.run(() => readLockOf(one).lock());
    const worker = await stage.fork();
    worker.take(0, 'write', 'x');
    await places(stage, 1);
    const wanted = readLockOf(other).lock();
    await readersWait(stage, 1);
    await writer.unlock();
    const reading = await wanted;
    const intent = `{${stage.faults.key('x')}}:write_intent`;
    await until('the writer keeps new readers out', async () =>
      Boolean(await stage.faults.admin.exists(intent)),
    );
    expect(await readLockOf(other).tryLock()).toBeNull();
    await own.unlock();
    expect(worker.grant(0)).toBeUndefined();
    const watch = new Stopwatch();
    await reading.unlock();
    await worker.told('granted', 0);
    expect(watch.ms).toBeLessThan(COMES_WITHIN + BOUND);
    worker.unlock(0);
    await settled(stage);
  });
});
