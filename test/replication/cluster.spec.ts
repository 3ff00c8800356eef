import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ClusterStage } from '../cluster/cluster.stage.js';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { until } from '../support/until.js';

const TIMEOUT = scaled(150);
const NAMES = Array.from({ length: 30 }, (_, index) => `lock-${index}`);

let topology: ClusterTopology;
let stage: ClusterStage;
let service: LockService;
let paused: TopologyServer[] = [];

beforeAll(async () => {
  topology = await ClusterTopology.start();
});

afterAll(async () => {
  await topology.stop();
});

beforeEach(async () => {
  await acknowledged();
  stage = new ClusterStage(topology);
  service = await stage.open({
    replication: { acks: 'majority', timeout: TIMEOUT },
    commandTimeout: 4 * TIMEOUT,
  });
});

afterEach(async () => {
  await resume();
  await stage.close();
});

/** Waits until the replica of each master acknowledges. */
async function acknowledged(): Promise<void> {
  await until(
    'the replicas follow',
    async () => {
      const masters = await topology.masters();
      const reached = await Promise.all(
        masters.map(async ({ admin }) => {
          await admin.publish('news', 'anything');
          return await admin.wait(1, 100);
        }),
      );
      return reached.every((count) => count === 1);
    },
    20_000,
  );
}

/** Pauses the replicas of masters. */
async function pause(masters: readonly TopologyServer[]): Promise<void> {
  paused = (await Promise.all(masters.map((master) => topology.replicasOf(master)))).flat();
  expect(paused).toHaveLength(masters.length);
  await Promise.all(paused.map((replica) => replica.pause()));
}

async function resume(): Promise<void> {
  await Promise.all(paused.splice(0).map((replica) => replica.resume()));
}

describe('grants that wait for replicas in a cluster', () => {
  test('wait for those of the very master that has the lock', async () => {
    const handles = await Promise.all(NAMES.map((name) => service.getLock(name).lock()));
    await Promise.all(handles.map((handle) => handle.unlock()));
    const masters = await topology.masters();
    const [lonely = masters[0]] = masters;
    await pause(masters.filter((master) => master === lonely));
    const outcomes = await Promise.allSettled(NAMES.map((name) => service.getLock(name).tryLock()));
    const owners = await Promise.all(NAMES.map((name) => topology.masterOf(stage.slotOf(name))));
    expect(outcomes).toMatchObject(
      owners.map((owner) =>
        owner === lonely
          ? { status: 'rejected', reason: { code: 'NOT_REPLICATED' } }
          : { status: 'fulfilled', value: { isHeld: true } },
      ),
    );
    expect(new Set(outcomes.map(({ status }) => status)).size).toBe(2);
    await Promise.all(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value?.unlock() : undefined)),
    );
    await until('nothing is left', async () => (await stage.keys()).length === 0);
  });

  test('follow a slot that moves, while it moves and afterwards', async () => {
    const name = 'moving';
    const slot = stage.slotOf(name);
    const lock = service.getLock(name);
    await lock.using(() => undefined);
    const from = await topology.masterOf(slot);
    const to = (await topology.masters()).find((master) => master !== from) ?? from;
    await topology.migrateSlot(slot, to, async () => {
      // Nothing has the key: the old master sends us to the new one, which has a replica of its own.
      const handle = await lock.tryLock();
      expect(await to.admin.call('CLUSTER', 'COUNTKEYSINSLOT', slot)).toBe(1);
      await handle?.unlock();
      await pause([to]);
      await expect(lock.tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
      await resume();
    });
    await topology.complete();
    await acknowledged();
    // Our map is out of date: the old master tells where the slot is.
    const handle = await lock.tryLock();
    expect(handle?.isHeld).toBe(true);
    await handle?.unlock();
    await pause([to]);
    await expect(lock.tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
  });

  test('wait for the former master once its replica has taken over', async () => {
    const name = 'failing over';
    const slot = stage.slotOf(name);
    const lock = service.getLock(name);
    await lock.using(() => undefined);
    const master = await topology.failOver(slot);
    await topology.complete();
    await acknowledged();
    const handle = await lock.lock({ waitTime: scaled(5000) });
    expect(await handle.unlock()).toBe('released');
    await pause([master]);
    await expect(lock.tryLock()).rejects.toMatchObject({ code: 'NOT_REPLICATED' });
  });
});
