import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { LONGEST } from '../../libs/distributed-lock/src/options/option.checks.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { KindStage } from '../kinds/kind.stage.js';
import { scaled } from '../support/slowness.js';
import { Stopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import {
  begin,
  COMES_WITHIN,
  expectInOrder,
  lockOf,
  places,
  placesInOrder,
  prepare,
  QUEUED,
  queueUp,
  settled,
  strangerAt,
  Waiting,
  type QueuedKind,
} from './queue.stage.js';
import { BOUND } from './shorter.stage.js';

describe.each(QUEUED)('a process that waits for a %s lock', (kind) => {
  test('is notified in the order of the queue, one by one', async () => {
    await KindStage.play('shared', async (stage) => {
      const { unlock, waiting } = await queueUp(stage, kind, 4);
      const begun = begin();
      await unlock();
      expect(await waiting.rest(begun)).toBe(4);
      await settled(stage);
    });
  });

  test('is passed over within 100 ms more when it is stopped, and has its turn when it goes on', async () => {
    await KindStage.play('shared', async (stage) => {
      const { unlock, workers, waiting } = await queueUp(stage, kind, 3);
      const [stopped, , last] = await placesInOrder(stage);
      workers[0]?.signal('SIGSTOP');
      const begun = begin();
      await unlock();
      const turn = await waiting.next(begun);
      expect(turn.isFirst).toBe(false);
      expect(turn.waited).toBeLessThan(COMES_WITHIN + BOUND);
      workers[0]?.signal('SIGCONT');
      await until('it has its old place', async () =>
        isDeepStrictEqual(await placesInOrder(stage), [stopped, last]),
      );
      // A guard that was set before may take it from it once more: then it has the next turn.
      const second = await waiting.next(waiting.release(turn));
      expect(second.waited).toBeLessThan(COMES_WITHIN + BOUND);
      await waiting.rest(waiting.release(second));
      await settled(stage);
    });
  });

  test('is passed over at once when it is dead', async () => {
    await KindStage.play('shared', async (stage) => {
      const { unlock, waiting } = await queueUp(stage, kind, 3);
      await Promise.all([waiting.kill(0), waiting.kill(1)]);
      const begun = begin();
      await unlock();
      const turn = await waiting.next(begun);
      expect(turn.waited).toBeLessThan(BOUND);
      waiting.release(turn);
      await settled(stage);
    });
  });

  test('has the lock within 100 ms when the one before it gives up at the moment of its turn', async () => {
    await KindStage.play('shared', async (stage) => {
      await prepare(stage, kind);
      const [one, leaver, other] = await Promise.all([1, 2, 3].map(() => stage.faults.open()));
      for (let turn = 0; turn < 20; turn += 1) {
        const held = await lockOf(one, kind).lock();
        const abort = new AbortController();
        const left = lockOf(leaver, kind).lock({ signal: abort.signal });
        left.catch(() => undefined);
        await places(stage, 1);
        const waiting = lockOf(other, kind).lock();
        await places(stage, 2);
        const watch = new Stopwatch();
        const freed = held.unlock();
        if (turn % 2 === 0) await freed;
        abort.abort(new Error('given up'));
        await (await left.catch(() => undefined))?.unlock();
        await (await waiting).unlock();
        expect(watch.ms).toBeLessThan(COMES_WITHIN + BOUND);
      }
      await settled(stage);
    });
  });
});

describe.each(QUEUED)('a release of a %s lock', (kind) => {
  test('costs less than six commands with twelve processes that wait', async () => {
    await KindStage.play('own', async (stage) => {
      await prepare(stage, kind);
      const services = await Promise.all(Array.from({ length: 12 }, () => stage.faults.open()));
      const turns = 60;
      let holds = 0;
      const work = async (service: LockService) => {
        while (holds < turns) {
          const held = await lockOf(service, kind).lock();
          holds += 1;
          await sleep(2);
          await held.unlock();
        }
      };
      const before = await stage.sent();
      await Promise.all(services.map(work));
      const after = await stage.sent();
      const sent = [...after].reduce((sum, [name, calls]) => sum + calls - (before.get(name) ?? 0), 0);
      // The first turns, in which they all come to know of each other, are among them, and the last.
      // A semaphore without holders deletes the records of two calls as well.
      expect(sent / holds).toBeLessThan(kind === 'semaphore' ? 8 : 6);
      await settled(stage);
    });
  });

  test('leaves nothing behind when no process waits any more', async () => {
    await KindStage.play('shared', async (stage) => {
      const { unlock, waiting } = await queueUp(stage, kind, 3);
      const begun = begin();
      await unlock();
      await waiting.rest(begun);
      await settled(stage);
      expect(await stage.faults.admin.exists(stage.faults.key('x'))).toBe(0);
    });
  });
});

/** A lock that an unknown client holds, without a lease, and processes that wait for it. */
async function strangerHolds(stage: KindStage, kind: QueuedKind, count: number) {
  await prepare(stage, kind);
  const stranger = strangerAt(stage, kind);
  await stranger.take();
  const workers = await Promise.all(Array.from({ length: count }, () => stage.fork()));
  for (const [index, worker] of workers.entries()) {
    worker.take(index, kind, 'x');
    await places(stage, index + 1);
  }
  return { unlock: () => stranger.free(), workers, waiting: new Waiting(workers) };
}

describe.each(QUEUED)('a client that does not know the queue of a %s lock', (kind) => {
  test('frees the lock for the process whose turn it is within 100 ms', async () => {
    await KindStage.play('shared', async (stage) => {
      const { unlock, waiting } = await strangerHolds(stage, kind, 2);
      const begun = begin();
      await unlock();
      const turn = await waiting.next(begun);
      expectInOrder(turn);
      expect(turn.waited).toBeLessThan(BOUND);
      await waiting.rest(waiting.release(turn));
      await settled(stage);
    });
  });

  test('does not keep the next process waiting while the first one is stopped', async () => {
    await KindStage.play('shared', async (stage) => {
      const listener = stage.faults.admin.duplicate();
      await listener.subscribe(strangerAt(stage, kind).channel);
      const { unlock, workers, waiting } = await strangerHolds(stage, kind, 3);
      workers[0]?.signal('SIGSTOP');
      const begun = begin();
      await unlock();
      // The turn of the others, then that of the stopped one.
      const turn = await waiting.next(begun);
      expect(turn.isFirst).toBe(false);
      expect(turn.waited).toBeLessThan(2 * COMES_WITHIN + BOUND);
      workers[0]?.signal('SIGCONT');
      // The last one is first where the stopped one comes back too late for its place.
      const second = await waiting.next(waiting.release(turn));
      await waiting.rest(waiting.release(second));
      listener.disconnect();
      await settled(stage);
    });
  });

  test('does not keep the next process waiting while the first one is stopped, and one of ours releases', async () => {
    await KindStage.play('shared', async (stage) => {
      const listener = stage.faults.admin.duplicate();
      await listener.subscribe(strangerAt(stage, kind).channel);
      const { unlock, workers, waiting } = await queueUp(stage, kind, 3);
      workers[0]?.signal('SIGSTOP');
      const begun = begin();
      await unlock();
      // Where it was not the turn of the others, the stopped one was given the lock.
      const turn = await waiting.next(begun);
      expect(turn.waited).toBeLessThan(2 * COMES_WITHIN + BOUND);
      const last = await waiting.next(waiting.release(turn));
      expect(last.waited).toBeLessThan(2 * COMES_WITHIN + BOUND);
      expect([turn.isFirst, last.isFirst]).toEqual([false, false]);
      workers[0]?.signal('SIGCONT');
      await waiting.rest(waiting.release(last));
      listener.disconnect();
      await settled(stage);
    });
  });

  test('has its share of the turns while ours are busy, and the others go on', async () => {
    await KindStage.play('shared', async (stage) => {
      await prepare(stage, kind);
      const stranger = strangerAt(stage, kind);
      const services = await Promise.all([1, 2, 3].map(() => stage.faults.open()));
      const listener = stage.faults.admin.duplicate();
      await listener.subscribe(stranger.channel);
      let theirs = 0;
      let isOver = false;
      const end = performance.now() + scaled(3000);
      /** As Redisson does it: a release wakes it, it takes the lock if it is free, holds it for a moment, and publishes. */
      const take = async () => {
        if (isOver || !(await stranger.take())) return;
        theirs += 1;
        await sleep(2);
        await stranger.free();
      };
      listener.on('message', () => void take());
      const ours = await Promise.all(
        services.map(async (service) => {
          let count = 0;
          for (; performance.now() < end; count += 1)
            await lockOf(service, kind).using(() => sleep(2), { leaseTime: '30s' });
          return count;
        }),
      );
      isOver = true;
      await sleep(50);
      listener.disconnect();
      await settled(stage);
      const equal = (theirs + ours.reduce((sum, count) => sum + count, 0)) / 4;
      expect(theirs / equal, `${theirs} theirs, ${ours.join(', ')} ours`).toBeGreaterThan(0.2);
      for (const count of ours)
        expect(count / equal, `${theirs} theirs, ${ours.join(', ')} ours`).toBeGreaterThan(0.2);
    });
  });
});

test.each(['getLock', 'getFencedLock'] as const)(
  'a caller with the longest lockWatchdogTimeout waits for its turn as well: %s',
  async (kind) => {
    await KindStage.play('shared', async (stage) => {
      const longest = { lockWatchdogTimeout: LONGEST };
      const [one, other] = [await stage.faults.open(longest), await stage.faults.open(longest)];
      const held = await one[kind]('x').lock();
      const waiting = other[kind]('x').lock({ waitTime: scaled(10_000) });
      await until('it has a place', async () => (await placesInOrder(stage)).length === 1);
      await held.unlock();
      expect(await (await waiting).unlock()).toBe('released');
      if (kind === 'getFencedLock') await stage.faults.admin.del(stage.beside('redisson_lock_token', 'x'));
    });
  },
);
