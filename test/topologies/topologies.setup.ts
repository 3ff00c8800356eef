import { failSuite } from '../support/suite.failure.js';
import 'vitest';
import type { TestProject } from 'vitest/node';
import { StoreView } from '../support/store.view.js';
import { ClusterTopology } from '../support/topology/cluster.topology.js';
import { SentinelTopology } from '../support/topology/sentinel.topology.js';
import { sourceOf, type TopologyDescription } from '../support/topology/topology.source.js';
import type { Topology } from '../support/topology/topology.js';
import { isReport } from '../support/declared.keys.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A master that sentinels watch; all files share it, and leave it as it is. */
    readonly sentinel: TopologyDescription;
    /** A cluster that all files share, and leave as it is. */
    readonly cluster: TopologyDescription;
  }
}

/** Starts one deployment with Sentinel and one Cluster for all test files; `inject('sentinel')` and `inject('cluster')` tell where. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const starting = [SentinelTopology.start(), ClusterTopology.start()] as const;
  const started = await Promise.allSettled(starting);
  const topologies = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => void (await Promise.all(topologies.map((topology) => topology.stop())));
  try {
    const [sentinel, cluster] = await Promise.all(starting);
    project.provide('sentinel', sentinel.describe);
    project.provide('cluster', cluster.describe);
  } catch (error) {
    await stop();
    throw error;
  }
  return async () => {
    const left = await Promise.all(topologies.map(leftovers));
    await stop();
    if (left.flat().length > 0) failSuite(`the suite left behind: ${left.flat().join(', ')}`);
  };
}

async function leftovers(topology: Topology): Promise<string[]> {
  const source = sourceOf(topology.describe);
  const store = StoreView.at(source);
  try {
    // A cluster's client knows its nodes once it has spoken to one.
    await store.client.ping();
    const [keys, channels] = await Promise.all([store.keys('*'), store.channels('*')]);
    const own = channels.filter((channel) => !channel.startsWith('__sentinel__'));
    return [...keys.filter((key) => !isReport(key)), ...own].map((name) => `${topology.kind} ${name}`);
  } finally {
    store.close();
  }
}
