import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { ClusterStage } from './cluster.stage.js';

let topology: ClusterTopology;
let stage: ClusterStage;
beforeAll(async () => {
  topology = await ClusterTopology.start();
});
afterAll(async () => {
  await topology.stop();
});
beforeEach(() => {
  stage = new ClusterStage(topology);
});
afterEach(async () => {
  await stage.close();
});

/** How long a waiter's lock took, in ms, from now. */
async function took(waiting: Promise<LockHandle>): Promise<number> {
  const from = performance.now();
  const handle = await waiting;
  const ms = performance.now() - from;
  await handle.unlock();
  return ms;
}

/** One holds the lock, the other sleeps for it. */
async function heldAndWaitedFor(
  one: LockService,
  other: LockService,
  name = 'x',
): Promise<{ held: LockHandle; waiting: Promise<LockHandle> }> {
  const held = await one.getLock(name).lock();
  const waiting = other.getLock(name).lock();
  return { held, waiting };
}

describe('the channels of locks in a cluster', () => {
  test('are sharded where the servers know them', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await stage.sleepers('x');
    const { sharded, classic } = await stage.channels();
    expect(sharded).toHaveLength(1);
    expect(classic).toEqual([]);
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(200));
  });

  test('are classic ones when the option requests it', async () => {
    const [one, other] = [await stage.open({ pubsub: 'classic' }), await stage.open({ pubsub: 'classic' })];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await until('it sleeps', async () => (await stage.channels()).classic.length === 1);
    expect((await stage.channels()).sharded).toEqual([]);
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(200));
  });

  test('wake the waiters of every slot', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const names = Array.from({ length: 50 }, (_, index) => `slot ${index}`);
    const held = await Promise.all(names.map((name) => one.getLock(name).lock()));
    const waiting = names.map((name) => other.getLock(name).lock());
    await until('all sleep', async () => (await stage.channels()).sharded.length === names.length);
    await Promise.all(held.map((handle) => handle.unlock()));
    const times = await Promise.all(waiting.map(took));
    expect(Math.max(...times)).toBeLessThan(scaled(500));
  });

  test('move with their slots while a caller waits', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await stage.sleepers('x');
    const from = await topology.masterOf(stage.slotOf('x'));
    const to = (await topology.masters()).find((master) => master !== from);
    if (to === undefined) throw new Error('there is one master only');
    await topology.migrateSlot(stage.slotOf('x'), to);
    await stage.sleepers('x');
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(200));
    await topology.migrateSlot(stage.slotOf('x'), from);
  });

  test('are found again when a replica takes its place in order', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await stage.sleepers('x');
    await topology.failOver(stage.slotOf('x'));
    await until(
      'the hold was asked for at the new master',
      async () =>
        await one
          .getLock('x')
          .isLocked()
          .catch(() => false),
    );
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(1000));
  });
});

describe('a master that dies', () => {
  test(
    'costs its locks the failover, and those of other masters nothing',
    async () => {
      const options = { lockWatchdogTimeout: scaled(2000) };
      const [one, other] = [await stage.open(options), await stage.open(options)];
      const slot = stage.slotOf('x');
      const { held, waiting } = await heldAndWaitedFor(one, other);
      await stage.sleepers('x');
      const masters = await topology.masters();
      const dead = await topology.killMaster(slot);
      const elsewhere = await lockElsewhere(one, dead.port, masters.length);
      const since = performance.now();
      await topology.succeeded(slot, dead);
      const failover = performance.now() - since;
      await held.unlock();
      const wait = await took(waiting);
      expect(wait).toBeLessThan(scaled(4000));
      expect(elsewhere.every(({ isHeld }) => isHeld)).toBe(true);
      await Promise.all(elsewhere.map((handle) => handle.unlock()));
      console.log(`failover ${failover.toFixed(0)} ms, waiter granted ${wait.toFixed(0)} ms after it`);
      await topology.restart(dead);
    },
    scaled(40_000),
  );

  test(
    'that only stands still is given up for its replica, and followed there',
    async () => {
      const options = { lockWatchdogTimeout: scaled(2000) };
      const [one, other] = [await stage.open(options), await stage.open(options)];
      const slot = stage.slotOf('x');
      const { held, waiting } = await heldAndWaitedFor(one, other);
      await stage.sleepers('x');
      const still = await topology.masterOf(slot);
      await still.pause();
      await topology.succeeded(slot, still);
      await held.unlock();
      expect(await took(waiting)).toBeLessThan(scaled(4000));
      await still.resume();
      await topology.complete();
    },
    scaled(40_000),
  );

  /** Locks of masters that live, taken while one is dead. */
  async function lockElsewhere(service: LockService, dead: number, masters: number): Promise<LockHandle[]> {
    const handles: LockHandle[] = [];
    for (let index = 0; handles.length < masters - 1; index += 1) {
      const name = `elsewhere ${index}`;
      const owner = await topology.masterOf(stage.slotOf(name));
      if (owner.port !== dead) handles.push(await service.getLock(name).lock({ waitTime: scaled(500) }));
    }
    return handles;
  }
});

describe('the connections to channels', () => {
  test('that are cut while a caller waits are made again, and the waiter checks once', async () => {
    const [one, other] = [await stage.open(), await stage.open()];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await stage.sleepers('x');
    await Promise.all(topology.servers.map(({ admin }) => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(1000));
  });

  test('that are classic, and cut, find a node again', async () => {
    const options = { pubsub: 'classic' } as const;
    const [one, other] = [await stage.open(options), await stage.open(options)];
    const { held, waiting } = await heldAndWaitedFor(one, other);
    await until('it sleeps', async () => (await stage.channels()).classic.length === 1);
    await Promise.all(topology.servers.map(({ admin }) => admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub')));
    await held.unlock();
    expect(await took(waiting)).toBeLessThan(scaled(1000));
  });
});

describe('names in a cluster', () => {
  test.each(['x}y', 'a{b', 'a{}b'])('whose keys have different slots are refused: %s', async (name) => {
    const one = await stage.open();
    expect(() => one.getLock(name)).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
  });

  test('with a tag are refused for a latch, whose channel has another slot', async () => {
    const one = await stage.open();
    expect(() => one.getCountDownLatch('{tenant}:x')).toThrow(
      expect.objectContaining({ code: 'INVALID_NAME' }),
    );
    const latch = one.getCountDownLatch('plain');
    await latch.trySetCount(1);
    const opened = latch.await();
    await (await stage.open()).getCountDownLatch('plain').countDown();
    expect(await opened).toBe(true);
  });

  test('with a tag of their own are taken', async () => {
    const one = await stage.open();
    expect(await one.getLock('{tenant}:x').using(async () => 'plain')).toBe('plain');
    expect(await one.getFairLock('{tenant}:y').using(async () => 'fair')).toBe('fair');
  });
});
