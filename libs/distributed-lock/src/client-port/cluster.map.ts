import type { ClientPort, NodePort } from './client.port.js';
import type { OpenClient } from './open.client.js';

/** `host:port`, as this process reaches the node. */
export type NodeKey = string;

/** Which node of a cluster has which slot, by the knowledge of the client that sends commands, and the connections to the nodes. */
export interface ClusterMap {
  /** The master of a slot; undefined while the slot has no known master. */
  ownerOf(slot: number): NodeKey | undefined;
  /** Why there is no connection to a node, with its address; undefined while no failure is known. */
  troubleOf(node: NodeKey | undefined): string | undefined;
  /** The known masters. */
  readonly masters: NodeKey[];
  /** The connection for the commands of a node; undefined for an unknown node. */
  client(key: NodeKey): NodePort | undefined;
  /** One more client of a node, for its channels. @returns undefined while no node is known at all */
  connectSubscriber(key: NodeKey): OpenClient | undefined;
  /**
   * One more client of a node that the map does not know yet, for commands that it is sent right away: they wait until the first
   * connection is there, or has failed. It is not made again. @returns undefined while no node is known at all
   */
  connectOnce(key: NodeKey): NodePort | undefined;
  /** The node behind an address, `host:port`, that the cluster reports. */
  keyAt(address: string): NodeKey;
  /** Drops the connection to a node that gives no sign of life; the next command for it makes a new one. */
  drop(key: NodeKey): void;
  /** Reads from the cluster which node has which slot. Never rejects: without an answer the known slots stay. */
  refresh(): Promise<void>;
  /** Calls `listener` when the map was refreshed, which is also done after a redirection. */
  onRefresh(listener: () => void): void;
  /** Resolves when each master is connected, or cannot be reached. */
  connectMasters(): Promise<void>;
}

/** The client of a cluster, and the nodes that it knows. */
export interface OpenCluster extends OpenClient<ClientPort> {
  readonly map: ClusterMap;
}
