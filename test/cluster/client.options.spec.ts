import { Cluster } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import type { RedisSource } from '../../libs/distributed-lock/src/redis-source/redis-source.reader.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { openLockService } from '../../libs/distributed-lock/src/startup/open.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { exercise } from '../clients/lock.exercise.js';
import { CLUSTER_VALUES } from '../clients/option.values.js';
import { uniquePrefix } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';

let topology: ClusterTopology;
let services: LockService[];
let templates: Cluster[];
beforeEach(() => {
  services = [];
  templates = [];
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.shutDown()));
  for (const template of templates) template.disconnect();
});
afterAll(async () => {
  await topology.stop();
});

async function open(source: RedisSource): Promise<LockService> {
  const settings = readSettings({ namePrefix: prefix, shutdownTimeout: 200 });
  const service = await openLockService(settings, source);
  services.push(service);
  return service;
}

let prefix: string;
async function expectToWork(source: RedisSource): Promise<void> {
  prefix = uniquePrefix();
  const everywhere = (...words: readonly [string, ...string[]]) =>
    Promise.all(topology.servers.map(({ admin }) => admin.call(...words)));
  await exercise(await open(source), await open(source), {
    flush: () => everywhere('SCRIPT', 'FLUSH'),
    kill: async () => {
      await everywhere('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await everywhere('CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes');
    },
  });
}

describe('on a Cluster that knows no script, and across a reconnect, a lock is acquired', () => {
  beforeAll(async () => {
    topology = await ClusterTopology.start();
  });

  function clusterWith(options: object, node: object = {}): Cluster {
    const nodes = topology.describe.nodes.map((address) => ({ ...address, ...node }));
    const cluster = new Cluster(nodes, { lazyConnect: true, ...options });
    cluster.on('error', () => undefined);
    templates.push(cluster);
    return cluster;
  }

  test.each(Object.entries(CLUSTER_VALUES))(
    'whatever %s is',
    { timeout: scaled(20_000) },
    async (name, value) => {
      await expectToWork(clusterWith({ [name]: value }));
    },
  );

  test('whatever options a startup node has', { timeout: scaled(20_000) }, async () => {
    const node = {
      commandTimeout: 1,
      reconnectOnError: () => 2,
      keyPrefix: 'app:',
      enableOfflineQueue: true,
    };
    await expectToWork(clusterWith({}, node));
  });

  test('with useSRVRecords, by the resolver of the application', { timeout: scaled(20_000) }, async () => {
    const records = topology.describe.nodes.map(({ host, port }) => ({
      name: host,
      port,
      priority: 1,
      weight: 1,
    }));
    const resolveSrv = (_name: string, callback: (error: null, found: typeof records) => void) =>
      callback(null, records);
    const options = { useSRVRecords: true, resolveSrv, lazyConnect: true };
    const cluster = new Cluster([{ host: 'locks.test' }], options);
    templates.push(cluster);
    await expectToWork(cluster);
  });
});
