import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf } from '../support/topology/topology.source.js';
import { until } from '../support/until.js';
import { Crowd } from './crowd.js';

/**
 * The watchdog's lease, in ms: it outlasts a failover, and one that sentinels begin anew, which they do no sooner than two of their
 * timeouts after one that came to nothing: on a busy machine no replica may have spoken lately enough for the first one.
 */
const T = scaled(20_000);
const WAITERS = 20;

let topology: SentinelTopology;
let crowd: Crowd;

beforeAll(async () => {
  topology = await SentinelTopology.start();
});
afterAll(async () => {
  await topology.stop();
});
afterEach(async () => {
  await crowd.close();
  await topology.complete();
});

async function gather(failoverDetector: boolean) {
  // At boot it is warned of what is left out on purpose here.
  if (!failoverDetector) vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const source = sourceOf(topology.describe, { failoverDetector });
  crowd = await Crowd.open(source, { lockWatchdogTimeout: T });
  const scene = await crowd.gather('x', WAITERS);
  await crowd.copied('x', await topology.replicas());
  return scene;
}

describe.each([true, false])('a failover that sentinels make in order (failoverDetector: %j)', (detector) => {
  test(
    'leaves the hold its lease, and grants the lock to every waiter',
    async () => {
      const scene = await gather(detector);
      await topology.failOver();
      const recovery = await crowd.recovered('free');
      const [first, last] = await crowd.settle(scene);
      console.log(
        `recovered ${recovery} ms after it, the first of ${WAITERS} in after ${first} ms, the last after ${last} ms`,
      );
      // Released, and not lost before.
      expect(scene.held.signal.reason).toMatchObject({ code: 'RELEASED' });
      expect(recovery).toBeLessThan(scaled(2000));
      expect(last).toBeLessThan(scaled(3000));
      expect(crowd.most).toBe(1);
    },
    scaled(30_000),
  );
});

describe('a master that is killed', () => {
  test(
    'loses no hold that a replica has, and every waiter is granted the lock',
    async () => {
      const scene = await gather(true);
      const killed = await topology.killMaster();
      await topology.succeeded(killed);
      const recovery = await crowd.recovered('free');
      expect(scene.held.isHeld).toBe(true);
      const [first, last] = await crowd.settle(scene);
      console.log(
        `recovered ${recovery} ms after it, the first of ${WAITERS} in after ${first} ms, the last after ${last} ms`,
      );
      expect(recovery).toBeLessThan(scaled(2000));
      expect(last).toBeLessThan(scaled(3000));
      expect(crowd.most).toBe(1);
      await topology.restart(killed);
    },
    scaled(60_000),
  );

  test(
    'takes along a hold that no replica has: the holder learns it, the waiters go on',
    async () => {
      const scene = await gather(true);
      const { signal } = scene.held;
      // As if it had died before it could tell them.
      for (const { admin } of await topology.replicas()) {
        await admin.config('SET', 'replica-read-only', 'no');
        await admin.del(crowd.key('x'));
      }
      const killed = await topology.killMaster();
      await topology.succeeded(killed);
      const since = performance.now();
      const turns = await scene.turns;
      await until('the holder knows', () => signal.aborted, T);
      const known = Math.round(performance.now() - since);
      const last = Math.round(Math.max(...turns) - since);
      console.log(`the holder knew ${known} ms after it, the last of ${WAITERS} was in after ${last} ms`);
      expect(signal.reason).toBeInstanceOf(LockLostError);
      expect(await scene.held.unlock()).toBe('lost');
      expect(last).toBeLessThan(scaled(3000));
      expect(known).toBeLessThan(T / 3 + scaled(3000));
      expect(crowd.most).toBe(1);
      await topology.restart(killed);
      for (const { admin } of topology.servers) await admin.config('SET', 'replica-read-only', 'yes');
    },
    scaled(60_000),
  );
});
