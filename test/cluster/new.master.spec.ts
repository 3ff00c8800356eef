import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { TopologyFolder, TopologyServer } from '../support/topology/topology.server.js';
import { ClusterStage } from './cluster.stage.js';

const CLUSTER_NODE = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];

let topology: ClusterTopology;
let folder: TopologyFolder;
let fresh: TopologyServer;
beforeAll(async () => {
  topology = await ClusterTopology.start();
  folder = await TopologyFolder.make();
  fresh = await TopologyServer.start(folder, { args: CLUSTER_NODE });
});
afterAll(async () => {
  await fresh.stop();
  await topology.stop();
  await folder.remove();
});

test('a lock is taken, renewed and released while its slot is on its way to a master that has none yet', async () => {
  const stage = new ClusterStage(topology);
  const slot = stage.slotOf('x');
  const owner = await topology.masterOf(slot);
  const call = (server: TopologyServer, ...words: string[]) => server.admin.call('CLUSTER', ...words);
  await call(owner, 'MEET', fresh.host, `${fresh.port}`);
  await until('the two have met', async () =>
    String(await call(owner, 'NODES'))
      .split('\n')
      .some(
        (line) =>
          line.includes(`:${fresh.port}@`) && line.includes('connected') && !line.includes('handshake'),
      ),
  );
  await until('the new one takes commands', async () =>
    String(await call(fresh, 'INFO')).includes('cluster_state:ok'),
  );
  const [from, to] = [String(await call(owner, 'MYID')), String(await call(fresh, 'MYID'))];
  const service = await stage.open({ lockWatchdogTimeout: 1000 });
  await call(fresh, 'SETSLOT', `${slot}`, 'IMPORTING', from);
  await call(owner, 'SETSLOT', `${slot}`, 'MIGRATING', to);
  const held = await service.getLock('x').tryLock();
  expect(await call(fresh, 'COUNTKEYSINSLOT', `${slot}`)).toBe(1);
  const leaseEnd = performance.now() + 1000;
  await until('it has outlived its first lease', () => performance.now() > leaseEnd + 500);
  expect(held?.isHeld).toBe(true);
  expect(await held?.unlock()).toBe('released');
  // The new one stands still, and the move is called off: a request that it was sent must not keep others from the owner.
  await fresh.pause();
  const stuck = service.getLock('x').lock({ waitTime: '30s' });
  const asked = performance.now();
  await until('it has been sent to the new one', () => performance.now() > asked + 500);
  await call(owner, 'SETSLOT', `${slot}`, 'STABLE');
  expect(await (await stuck).unlock()).toBe('released');
  await fresh.resume();
  for (const server of [fresh, owner]) await call(server, 'SETSLOT', `${slot}`, 'NODE', to);
  expect(await service.getLock('x').using(async () => 'at its new place')).toBe('at its new place');
  await stage.close();
});
