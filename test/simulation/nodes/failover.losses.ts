import type { NodeDeployment } from './node.deployment.js';
import type { NodeShard } from './node.shard.js';

/** What failovers have lost. */
export class FailoverLosses {
  /** By shard: its losses so far. */
  readonly #seen = new Map<NodeShard, number>();

  constructor(private readonly deployment: NodeDeployment) {}

  /** Whether the two sides of a split network each have a master: what is done on the side of the old one will be lost. */
  get isSplit(): boolean {
    return this.deployment.shards.some(
      ({ isolated, wasPromotedInSplit }) => isolated !== undefined && wasPromotedInSplit,
    );
  }

  /** The keys of the shards that have lost something since the last call; undefined: none. */
  takeLost(): ((key: string) => boolean) | undefined {
    let lost: Set<NodeShard> | undefined;
    for (const shard of this.deployment.shards) {
      if (shard.losses === (this.#seen.get(shard) ?? 0)) continue;
      this.#seen.set(shard, shard.losses);
      (lost ??= new Set()).add(shard);
    }
    return lost && ((key) => lost.has(this.deployment.shardOf(key)));
  }
}
