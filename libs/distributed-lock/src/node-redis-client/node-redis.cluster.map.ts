import type { NodePort } from '../client-port/client.port.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import type { OpenClient } from '../client-port/open.client.js';
import type { NodeAddressMap } from '../redis-source/node-redis.source.js';
import { mapAddress, splitAddress } from './address.map.js';
import type { ClusterClient } from './cluster.client.js';
import type { NodeClient } from './node.client.js';
import { NodeRedisTrouble, whyOf } from './node-redis.trouble.js';

/** What a {@link NodeRedisClusterMap} is made of. */
export interface ClusterMapParts {
  readonly cluster: ClusterClient;
  readonly nodeAddressMap?: NodeAddressMap | undefined;
  /** Makes a client of a node that subscribes, and connects again after each loss. */
  readonly subscriberOf: (node: NodeKey) => NodeClient;
  /** Makes the client of a node, which makes one connection. */
  readonly clientOf: (node: NodeKey) => NodeClient;
}

/** The map of a cluster that its {@link ClusterClient} keeps. */
export class NodeRedisClusterMap implements ClusterMap {
  constructor(private readonly parts: ClusterMapParts) {}

  ownerOf(slot: number): NodeKey | undefined {
    return this.parts.cluster.table.slots[slot];
  }

  troubleOf(node: NodeKey | undefined): string | undefined {
    const error = node === undefined ? undefined : this.parts.cluster.troubleOf(node);
    return error === undefined ? undefined : `${node}: ${whyOf(error)}`;
  }

  get masters(): NodeKey[] {
    return [...this.parts.cluster.table.masters];
  }

  client(key: NodeKey): NodePort | undefined {
    return this.parts.cluster.pool.get(key);
  }

  connectSubscriber(key: NodeKey): OpenClient {
    return { client: this.parts.subscriberOf(key), trouble: new NodeRedisTrouble() };
  }

  connectOnce(key: NodeKey): NodePort {
    return this.parts.clientOf(key);
  }

  keyAt(address: string): NodeKey {
    const { host, port } = mapAddress(splitAddress(address), this.parts.nodeAddressMap);
    return `${host}:${port}`;
  }

  drop(key: NodeKey): void {
    this.parts.cluster.pool.get(key)?.disconnect();
  }

  refresh(): Promise<void> {
    return this.parts.cluster.refresh();
  }

  onRefresh(listener: () => void): void {
    this.parts.cluster.on('refresh', listener);
  }

  async connectMasters(): Promise<void> {
    await Promise.all([...this.parts.cluster.pool.values()].map((client) => client.connect()));
  }
}
