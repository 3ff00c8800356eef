import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { scaled } from '../support/slowness.js';
import { ClusterStage } from './cluster.stage.js';

/** Holds the one permit again and again for a while. @returns how often */
async function work(service: LockService, end: number): Promise<number> {
  const semaphore = service.getSemaphore('x');
  let count = 0;
  for (; performance.now() < end; count += 1) await semaphore.using(() => sleep(3));
  return count;
}

test(
  'processes that take a permit of a plain semaphore again and again have their shares, without a queue too',
  { timeout: scaled(60_000) },
  async () => {
    const topology = await ClusterTopology.start();
    const stage = new ClusterStage(topology);
    try {
      const services = await Promise.all([1, 2, 3].map(() => stage.open()));
      await services[0]?.getSemaphore('x').trySetPermits(1);
      const end = performance.now() + scaled(3000);
      const counts = await Promise.all(services.map((service) => work(service, end)));
      const equal = counts.reduce((sum, count) => sum + count, 0) / counts.length;
      expect(Math.min(...counts) / equal, counts.join(', ')).toBeGreaterThan(0.2);
      await services[0]?.getSemaphore('x').delete();
    } finally {
      await stage.close();
      await topology.stop();
    }
  },
);
