import { expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { ClusterStage } from './cluster.stage.js';

const LOCKS = 12;
const WAITERS = 8;

/** Lets waiters of two services have locks of all slots, one after the other. @returns how the holds ended */
async function play(
  stage: ClusterStage,
  services: readonly [LockService, LockService],
): Promise<Set<string>> {
  const held = await Promise.all(
    Array.from({ length: LOCKS }, (_, lock) => services[0].getFairLock(`n${lock}`).lock()),
  );
  const orders = held.map((): number[] => []);
  const ends: Promise<string>[] = [];
  for (let number = 0; number < WAITERS; number += 1) {
    const service = services[number % 2] ?? services[0];
    const have = async (order: number[], lock: number) => {
      const handle = await service.getFairLock(`n${lock}`).lock();
      order.push(number);
      return await handle.unlock();
    };
    ends.push(...orders.map(have));
    await until('all stand in the queues', async () => (await stage.waiters()) === LOCKS * (number + 1));
  }
  await Promise.all(held.map((handle) => handle.unlock()));
  const outcomes = await Promise.all(ends);
  expect(orders).toEqual(held.map(() => Array.from({ length: WAITERS }, (_, number) => number)));
  return new Set(outcomes);
}

test.each(['classic', 'sharded'] as const)(
  'fair locks on %s channels are handed off in their order on every master, and each to its own waiter only',
  { timeout: scaled(60_000) },
  async (pubsub) => {
    const topology = await ClusterTopology.start();
    const stage = new ClusterStage(topology);
    try {
      const services = [await stage.open({ pubsub }), await stage.open({ pubsub })] as const;
      expect(await play(stage, services)).toEqual(new Set(['released']));
      expect(await stage.waiters()).toBe(0);
    } finally {
      await stage.close();
      await topology.stop();
    }
  },
);
