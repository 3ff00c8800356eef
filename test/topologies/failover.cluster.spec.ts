import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { sourceOf } from '../support/topology/topology.source.js';
import { Crowd } from './crowd.js';

/** The watchdog's lease, in ms: it outlasts a failover. */
const T = scaled(9000);
const WAITERS = 20;

let topology: ClusterTopology;
let crowd: Crowd;

beforeAll(async () => {
  topology = await ClusterTopology.start();
});
afterAll(async () => {
  await topology.stop();
});
beforeEach(async () => {
  crowd = await Crowd.open(sourceOf(topology.describe), { lockWatchdogTimeout: T });
});
afterEach(async () => {
  await crowd.close();
  await topology.complete();
});

async function gather(name: string, count = WAITERS) {
  const scene = await crowd.gather(name, count);
  await crowd.copied(name, await topology.replicasOf(await topology.masterOf(crowd.slot(name))));
  return scene;
}

/** Another master than the one that has the slot. */
async function elsewhere(slot: number): Promise<TopologyServer> {
  const owner = await topology.masterOf(slot);
  const other = (await topology.masters()).find((master) => master !== owner);
  if (other === undefined) throw new Error('there is one master only');
  return other;
}

describe('a failover in a cluster', () => {
  test(
    'in order leaves the hold its lease, and grants the lock to every waiter',
    async () => {
      const scene = await gather('x');
      await topology.failOver(crowd.slot('x'));
      // The same slot, so the same master.
      const recovery = await crowd.recovered(`{${crowd.key('x')}}:free`);
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

  test(
    'after a master was killed leaves the hold its lease, and grants the lock to every waiter',
    async () => {
      const scene = await gather('x');
      const slot = crowd.slot('x');
      const killed = await topology.killMaster(slot);
      await topology.succeeded(slot, killed);
      const recovery = await crowd.recovered(`{${crowd.key('x')}}:free`);
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
    scaled(40_000),
  );
});

describe('a slot that moves while 50 wait', () => {
  test(
    'takes hold and waiters along, there and back: a release wakes the next at once',
    async () => {
      const scene = await gather('x', 50);
      const slot = crowd.slot('x');
      const home = await topology.masterOf(slot);
      await topology.migrateSlot(slot, await elsewhere(slot));
      await crowd.asleep('x');
      await topology.migrateSlot(slot, home);
      await crowd.asleep('x');
      expect(scene.held.isHeld).toBe(true);
      const [first, last] = await crowd.settle(scene);
      console.log(`the first of 50 in after ${first} ms, the last after ${last} ms`);
      expect(first).toBeLessThan(scaled(200));
      expect(last).toBeLessThan(scaled(3000));
      expect(crowd.most).toBe(1);
    },
    scaled(30_000),
  );

  test(
    'loses no release that happens while it is at two masters',
    async () => {
      const scene = await gather('x', 50);
      const slot = crowd.slot('x');
      let settled: Promise<readonly [number, number]> | undefined;
      await topology.migrateSlot(slot, await elsewhere(slot), async () => {
        settled = crowd.settle(scene);
        await scene.held.unlock();
      });
      const [, last] = (await settled) ?? [0, Infinity];
      console.log(`the last of 50 in after ${last} ms`);
      expect(last).toBeLessThan(scaled(5000));
      expect(crowd.most).toBe(1);
    },
    scaled(30_000),
  );
});
