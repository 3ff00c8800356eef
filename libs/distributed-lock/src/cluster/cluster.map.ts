import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { ConnectionTrouble } from '../redis/connection.trouble.js';

/** `host:port`, as this process reaches the node. */
export type NodeKey = string;

/** Which node of a cluster has which slot, as the client that sends commands knows it. */
export class ClusterMap {
  /** What was found in the pool, which makes a list of itself each time that it is asked. */
  readonly #clients = new Map<NodeKey, Redis>();

  constructor(
    private readonly cluster: Cluster,
    private readonly trouble?: ConnectionTrouble,
  ) {
    cluster.on('-node', () => this.#clients.clear());
  }

  /** The master of a slot; undefined while nobody has it, as far as is known. */
  ownerOf(slot: number): NodeKey | undefined {
    return this.cluster.slots[slot]?.[0];
  }

  /** Why there is no connection to a node, with its address; undefined while nothing is known to be wrong. */
  troubleOf(node: NodeKey | undefined): string | undefined {
    const why = node === undefined ? undefined : this.trouble?.ofNode(node);
    return why === undefined ? undefined : `${node}: ${why}`;
  }

  /** The masters, as far as they are known. */
  get masters(): NodeKey[] {
    return this.cluster.nodes('master').map(keyOf);
  }

  /** One more client of a node. @returns undefined while no node is known at all */
  connect(key: NodeKey, options: RedisOptions): Redis | undefined {
    // A node that was lost is no longer in the pool; all nodes of a cluster are reached with the same options.
    const [any] = this.cluster.nodes();
    const known = this.client(key) ?? any;
    const colon = key.lastIndexOf(':');
    return known?.duplicate({ ...options, host: key.slice(0, colon), port: Number(key.slice(colon + 1)) });
  }

  /** The connection that commands for a node go to; undefined for one that is not known. */
  client(key: NodeKey): Redis | undefined {
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = this.cluster.nodes().find((node) => keyOf(node) === key);
    if (client !== undefined) this.#clients.set(key, client);
    return client;
  }

  /** Who is behind an address, `host:port`, that the cluster tells. */
  keyAt(address: string): NodeKey {
    const { natMap } = this.cluster.options;
    const mapped = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
    return mapped === undefined || mapped === null ? address : `${mapped.host}:${mapped.port}`;
  }

  /** Drops the connection to a node that gives no sign of life; the next command for it makes a new one. */
  drop(key: NodeKey): void {
    this.client(key)?.disconnect();
  }

  /** Asks the cluster which node has which slot. Never rejects: what is known stays, when nobody answers. */
  async refresh(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.cluster.refreshSlotsCache(() => resolve());
    });
  }

  /** Calls `listener` when the map was asked for anew, which is also done after a redirection. */
  onRefresh(listener: () => void): void {
    // The event comes before the callbacks of whoever asked.
    this.cluster.on('refresh', listener);
  }

  /** Connects to each master, so that no command comes while its connection is being made, which would refuse it. */
  async connectMasters(): Promise<void> {
    const idle = this.cluster.nodes('master').filter(({ status }) => status === 'wait');
    // One that cannot be reached is for its cluster to replace.
    await Promise.all(idle.map((node) => node.connect().catch(() => undefined)));
  }
}

function keyOf({ options }: Redis): NodeKey {
  return `${options.host}:${options.port}`;
}
