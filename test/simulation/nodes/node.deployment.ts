import type { ClientTemplate } from '../../../libs/distributed-lock/src/redis-source/client.template.js';
import type { StoreReader } from '../other.watch.js';
import type { TickStore } from '../tick.store.js';
import type { NodeShard } from './node.shard.js';
import type { ClientPlace } from './simulated.client.js';
import type { SimulatedNode } from './simulated.node.js';

/** Where an instance connects from. */
export type InstancePlace = Omit<ClientPlace, 'find' | 'slotsOf'> & { readonly name: string };

/** The servers of a fleet, and how they are reached. A key is read where it is. */
export interface NodeDeployment extends StoreReader, TickStore {
  readonly shards: readonly NodeShard[];
  readonly nodes: readonly SimulatedNode[];
  /** The shard that has a key. */
  shardOf(key: string): NodeShard;
  /** The source of connections of an instance. */
  templateFor(place: InstancePlace): ClientTemplate;
  /** Whether a slot is on its way: meanwhile no server fails. */
  readonly isMoving?: boolean;
  /** Moves a slot in so many ms, where there are slots. @returns whether it happens */
  moveSlot?(duration: number): boolean;
}
