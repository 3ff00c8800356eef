import type { Client } from '../../../libs/distributed-lock/src/ioredis-client/client.factory.js';
import { templateOf } from '../../../libs/distributed-lock/src/ioredis-client/ioredis.adapter.js';
import type { ClientTemplate } from '../../../libs/distributed-lock/src/redis-source/client.template.js';
import type { SimulatedProcess } from '../simulated.process.js';
import type { StoredPermits } from '../stored.permits.js';
import type { World } from '../world.js';
import type { InstancePlace, NodeDeployment } from './node.deployment.js';
import { NodeShard } from './node.shard.js';
import { SimulatedClient } from './simulated.client.js';
import { SimulatedNode } from './simulated.node.js';

/** A master with an asynchronous replica, and sentinels that name the master. */
export class SentinelDeployment implements NodeDeployment {
  readonly shards: readonly [NodeShard];
  readonly nodes: readonly [SimulatedNode, SimulatedNode];

  constructor(private readonly world: World) {
    this.nodes = [new SimulatedNode(world, 'a'), new SimulatedNode(world, 'b')];
    this.shards = [new NodeShard(world, this.nodes)];
  }

  /** The clocks of all servers are right. */
  get process(): SimulatedProcess {
    return this.world.outside;
  }

  shardOf(): NodeShard {
    return this.shards[0];
  }

  hash(key: string): ReadonlyMap<string, string> {
    return this.shardOf().master.hash(key);
  }

  has(key: string): boolean {
    return this.shardOf().master.has(key);
  }

  list(key: string): readonly string[] {
    return this.shardOf().master.list(key);
  }

  count(key: string): number | undefined {
    return this.shardOf().master.count(key);
  }

  permits(key: string): StoredPermits {
    return this.shardOf().master.permits(key);
  }

  templateFor(place: InstancePlace): ClientTemplate {
    return templateOf(
      {
        ...COMMON,
        isCluster: false,
        create: (purpose) => {
          const client = new SimulatedClient(
            { ...place, find: () => this.#find(place.name), slotsOf: () => [] },
            { connectionName: purpose, retryStrategy: pauseOf(place) },
          );
          return client as object as Client;
        },
      },
      noCluster,
    );
  }

  /** What the sentinels say. */
  #find(name: string): SimulatedNode | Error {
    const [shard] = this.shards;
    if (shard.isolated === undefined) return shard.master;
    if (shard.isolated === name) return new Error('All sentinels are unreachable.');
    // Before the replica has taken over, they name a master that is out of reach.
    return shard.wasPromotedInSplit ? shard.master : new Error('connect ETIMEDOUT');
  }
}

/** No operator opens a session here. */
export function noCluster(): never {
  throw new Error('a simulated server is opened by no URL');
}

export const COMMON = {
  keyPrefix: '',
  lazy: false,
  address: 'simulated',
  resp3: false,
  missesFailover: false,
  nodeOptions: () => ({}),
} as const;

/** The pauses between attempts to connect, like those of the library's clients. */
export function pauseOf({ process }: InstancePlace): (attempt: number) => number {
  return (attempt) =>
    Math.min(20 * 2 ** Math.min(attempt - 1, 6), 500) * (0.8 + 0.2 * process.dice.fraction());
}
