import { Cluster } from 'ioredis';
import { slotOf } from '../../libs/distributed-lock/src/redis/key.slot.js';
import type { ClusterTopology } from '../support/topology/cluster.topology.js';
import type { TopologyServer } from '../support/topology/topology.server.js';
import { isReport } from '../support/declared.keys.js';

/** Which of the two namespaces of channels is meant: those of the whole cluster, or those of a shard. */
export type Namespace = 'classic' | 'sharded';

/** What may stay for ever: the tokens of fenced locks (D12). */
const TOKEN = /^redisson_lock_token:/;

/** Neither side: looks at every node of a cluster. */
export class ClusterObserver {
  /** For keys, wherever they are. */
  readonly redis: Cluster;

  constructor(readonly topology: ClusterTopology) {
    this.redis = new Cluster([...topology.describe.nodes]);
    this.redis.on('error', () => undefined);
  }

  get #nodes(): TopologyServer[] {
    return this.topology.servers.filter(({ answers }) => answers);
  }

  /** What anybody listens to, on any node. */
  async channels(namespace: Namespace): Promise<string[]> {
    const word = namespace === 'sharded' ? 'SHARDCHANNELS' : 'CHANNELS';
    const lists = await Promise.all(this.#nodes.map(({ admin }) => admin.call('PUBSUB', word)));
    return [...new Set(lists.flat().map(String))].toSorted();
  }

  /** How many clients listen to a channel. A classic one may be heard from any node. */
  async listeners(namespace: Namespace, channel: string): Promise<number> {
    const word = namespace === 'sharded' ? 'SHARDNUMSUB' : 'NUMSUB';
    const counts = await Promise.all(this.#nodes.map(({ admin }) => admin.call('PUBSUB', word, channel)));
    return counts.map((reply) => Number([reply].flat()[1])).reduce((sum, count) => sum + count, 0);
  }

  /** Keys and subscribed channels that are there now, other than the keys that may stay. */
  async leftovers(): Promise<string[]> {
    const masters = await this.topology.masters();
    const lists = await Promise.all(masters.map(async ({ admin }) => await admin.keys('*')));
    const [classic, sharded] = await Promise.all([this.channels('classic'), this.channels('sharded')]);
    return [
      ...lists.flat().filter((key) => !TOKEN.test(key) && !isReport(key)),
      ...[...classic, ...sharded].map((channel) => `channel ${channel}`),
    ];
  }

  /** Another master than the one that has the slot of `name`. */
  async otherMaster(name: string): Promise<TopologyServer> {
    const owner = await this.topology.masterOf(slotOf(name));
    const other = (await this.topology.masters()).find((server) => server !== owner);
    if (other === undefined) throw new Error('there is one master only');
    return other;
  }

  async clear(): Promise<void> {
    await Promise.all((await this.topology.masters()).map(async ({ admin }) => await admin.flushall()));
  }

  close(): void {
    this.redis.disconnect();
  }
}
