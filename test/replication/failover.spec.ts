import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf } from '../support/topology/topology.source.js';

const TIMEOUT = scaled(300);
const namePrefix = uniquePrefix();

let topology: SentinelTopology;
const services: LockService[] = [];

beforeAll(async () => {
  topology = await SentinelTopology.start();
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.shutDown()));
  await topology.stop();
});

async function open(acks: LockModuleSettings['replication'] & {}): Promise<LockService> {
  const options = { namePrefix, shutdownTimeout: 200, commandTimeout: 3 * TIMEOUT, replication: acks };
  const service = await openLockService(readSettings(options), sourceOf(topology.describe));
  services.push(service);
  return service;
}

test(
  'what all replicas have acknowledged is still held after a failover, and a majority grants again',
  async () => {
    const careful = await open({ acks: 2, timeout: TIMEOUT });
    const other = await open({ acks: 'majority', timeout: TIMEOUT });
    const held = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        careful.getLock(`x${index}`).lock({ leaseTime: scaled(60_000) }),
      ),
    );
    const killed = await topology.killMaster();
    await topology.succeeded(killed);
    const free = await other.getLock('free').lock({ waitTime: scaled(20_000) });
    for (const { name, isHeld } of held) {
      expect(isHeld).toBe(true);
      expect(await other.getLock(name).tryLock()).toBeNull();
    }
    // One of two replicas is left: enough for a majority of three copies, and too few for two acknowledgements.
    const refused = () =>
      careful
        .getLock('y')
        .tryLock()
        .catch((error: unknown) => error);
    await expect.poll(refused, { timeout: scaled(20_000) }).toMatchObject({ code: 'NOT_REPLICATED' });
    expect(await free.unlock()).toBe('released');
    await Promise.all(held.map((handle) => handle.unlock()));
  },
  scaled(60_000),
);
