import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { scaled } from '../support/slowness.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { until } from '../support/until.js';
import { ClusterObserver } from './cluster.observer.js';
import { ClusterStage } from './cluster.stage.js';
import { JavaPeer } from './java.peer.js';
import { writeRow } from './row.table.js';

/** A topology, and a JVM that makes its first connections to six nodes. */
const STARTED_WITHIN = { timeout: scaled(60_000) };

const TIDIED_WITHIN = 1000;

/**
 * A stage for each row of a file, in a cluster of three masters with a replica each. After a row nothing may be left on any
 * node, and it is written down for the table. All rows of a file share a cluster and a Java process with a client of either way to
 * subscribe.
 */
export function clusterRows(): () => ClusterStage {
  let cluster: { topology: ClusterTopology; observer: ClusterObserver; java: JavaPeer } | undefined;
  let stage: ClusterStage | undefined;
  let started = 0;

  beforeAll(async () => {
    const topology = await ClusterTopology.start();
    const observer = new ClusterObserver(topology);
    const url = topology.describe.nodes.map(({ host, port }) => `redis://${host}:${port}`).join(',');
    const java = await JavaPeer.start(url, { subscription: 'AUTO' });
    await Promise.all([
      java.connect('sharded', url, { subscription: 'AUTO' }),
      java.connect('classic', url, { subscription: 'OFF' }),
    ]);
    cluster = { topology, observer, java };
  }, STARTED_WITHIN.timeout);
  afterAll(async () => {
    await cluster?.java.kill();
    cluster?.observer.close();
    await cluster?.topology.stop();
  });
  beforeEach(() => {
    if (cluster === undefined) throw new Error('there is no cluster outside of a test');
    stage = new ClusterStage(cluster.java, cluster.observer);
    started = performance.now();
  });
  afterEach(async ({ task }) => {
    if (stage === undefined || cluster === undefined) return;
    const took = performance.now() - started;
    const hasPlayed = task.result?.state !== 'fail';
    const leftovers = hasPlayed ? await tidied(cluster.observer) : [];
    const ok = hasPlayed && leftovers.length === 0;
    const [id = '', ...scenario] = task.name.split(' ');
    await writeRow(inject('rowsFile'), {
      id,
      scenario: scenario.join(' '),
      ok,
      took,
      messages: [],
      leftovers,
      notes: stage.measured,
    });
    await stage.close();
    await cluster.observer.clear();
    if (leftovers.length > 0) throw new Error(`${id} left behind: ${leftovers.join(', ')}`);
  });

  return () => {
    if (stage === undefined) throw new Error('there is no stage outside of a test');
    return stage;
  };
}

/** @returns what is still there after the time in which everything should be gone */
async function tidied(observer: ClusterObserver): Promise<string[]> {
  let left: string[] = [];
  const gone = async () => (left = await observer.leftovers()).length === 0;
  await until('nothing is left', gone, TIDIED_WITHIN).catch(() => undefined);
  return left;
}
