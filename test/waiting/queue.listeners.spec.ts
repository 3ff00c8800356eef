import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  reentrantAcquire,
  reentrantWait,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { lockChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { KindStage } from '../kinds/kind.stage.js';
import { Stopwatch } from '../support/stopwatch.js';
import { until } from '../support/until.js';
import { COMES_WITHIN, places } from './queue.stage.js';
import { BOUND } from './shorter.stage.js';

/** A client that the library knows nothing of. */
const STRANGER = '22222222-0000-4000-8000-000000000000';

describe('a process that has released a lock', () => {
  test('does not take it again before the processes that wait', async () => {
    await KindStage.play('shared', async (stage) => {
      const wire = await stage.faults.proxy();
      const asked: string[] = [];
      wire.judge(({ words }) => {
        // The lease, the hold count, and whether it lets processes go first that have a place.
        if (words[1] === reentrantAcquire.sha1) asked.push(words.slice(5, 8).join(' '));
        return 'pass';
      });
      const [releaser, other] = [await stage.faults.open({}, wire), await stage.faults.open()];
      for (let turn = 0; turn < 20; turn += 1) {
        const held = await releaser.getLock('x').lock();
        const waiting = other.getLock('x').lock();
        await places(stage, 1);
        await held.unlock();
        const again = releaser.getLock('x').lock();
        await (await waiting).unlock();
        await (await again).unlock();
      }
      expect(new Set(asked)).toEqual(new Set(['30000 1 1']));
    });
  });

  test('does not stay in the queue while it goes on alone', async () => {
    await KindStage.play('own', async (stage) => {
      const { admin } = stage.faults;
      const [busy, other] = [await stage.faults.open(), await stage.faults.open()];
      const held = await other.getLock('x').lock();
      const over = new AbortController();
      const work = (async () => {
        while (!over.signal.aborted) await busy.getLock('x').using(() => sleep(3));
      })();
      await places(stage, 1);
      await held.unlock();
      const key = suffixName(stage.faults.key('x'), 'waiting');
      await until('it has left', async () => (await admin.exists(key)) === 0);
      await until('it listens no more', async () => (await stage.faults.services.channels()).length === 0);
      over.abort();
      await work;
      expect(await stage.faults.services.channels()).toEqual([]);
    });
  });
});

describe('a listener of the queue', () => {
  test('acts on a release that arrives before the answer that made it one', async () => {
    await KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const [key, wire] = [stage.faults.key('x'), await stage.faults.proxy()];
      await admin.hset(key, 'another:1', 1);
      await admin.pexpire(key, 60_000);
      let freed: Stopwatch | undefined;
      const free = async () => {
        await admin.multi().del(key).publish(lockChannel(key), '0').exec();
        freed = new Stopwatch();
        // Until the message is there, most likely: it has a connection of its own.
        await sleep(50);
      };
      wire.judge(({ words }) =>
        words[1] === reentrantWait.sha1 && freed === undefined ? { answered: () => free() } : 'pass',
      );
      const service = await stage.faults.open({}, wire);
      const handle = await service.getLock('x').lock();
      expect(freed?.ms).toBeLessThan(2 * BOUND);
      await handle.unlock();
    });
  });

  test('acts on a release also while it believes that it holds the lock itself', async () => {
    await KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const [key, channel] = [stage.faults.key('x'), lockChannel(stage.faults.key('x'))];
      const waiting = suffixName(key, 'waiting');
      const [former, holder, last] = [
        await stage.faults.open(),
        await stage.faults.open(),
        await stage.faults.open(),
      ];
      const first = await former.getLock('x').lock();
      const second = holder.getLock('x').lock();
      await places(stage, 1);
      await first.unlock();
      await second;
      // The other listener does nothing, as one that is stopped.
      const stranger = admin.duplicate();
      await stranger.subscribe(channel, `${channel}:${STRANGER}`);
      await admin.zadd(waiting, -1, `listener:${STRANGER}`);
      const third = last.getLock('x').lock();
      await places(stage, 1);
      // Without the guard of the first release, which would act as well.
      await sleep(3 * COMES_WITHIN);
      const watch = new Stopwatch();
      await admin.multi().del(key).publish(channel, '0').exec();
      const handle = await third;
      expect(watch.ms).toBeLessThan(BOUND);
      await handle.unlock();
      expect(await (await second).unlock()).toBe('lost');
      stranger.disconnect();
      await admin.zrem(waiting, `listener:${STRANGER}`);
    });
  });
});
