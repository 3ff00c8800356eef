import { afterAll, beforeAll, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { until } from '../support/until.js';
import { ClusterStage } from './cluster.stage.js';

let topology: ClusterTopology;
beforeAll(async () => {
  topology = await ClusterTopology.start();
}, scaled(60_000));
afterAll(() => topology.stop());

const call = (server: TopologyServer, ...words: string[]) => server.admin.call('CLUSTER', ...words);

test(
  'a master that was replaced, and can be reached but hears nothing of it, does not keep its locks from being taken',
  async () => {
    const stage = new ClusterStage(topology);
    const service = await stage.open();
    await service.getLock('x').using(() => undefined);
    const slot = stage.slotOf('x');
    const former = await topology.masterOf(slot);
    const [replica] = await topology.replicasOf(former);
    if (replica === undefined) throw new Error('it has no replica');
    // From then on it knows no other node: it answers, and says that the cluster is down.
    const nodes = String(await call(former, 'NODES'))
      .trim()
      .split('\n');
    const others = nodes.filter((line) => !line.includes('myself')).map((line) => line.split(' ')[0] ?? '');
    for (const id of others) await call(former, 'FORGET', id);
    await until('it sees no cluster', async () => {
      const answer = await former.admin.get(`${stage.prefix}x`).catch((error: unknown) => String(error));
      return String(answer).includes('CLUSTERDOWN');
    });
    await call(replica, 'FAILOVER', 'TAKEOVER');
    await until('another node has the slot', async () => (await topology.masterOf(slot)) === replica, 20_000);
    expect(await service.getLock('x').using(() => 'done', { waitTime: '20s' })).toBe('done');
    await stage.close();
  },
  scaled(90_000),
);
