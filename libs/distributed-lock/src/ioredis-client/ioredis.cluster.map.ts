import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import type { OpenClient, Purpose } from '../client-port/open.client.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { resetStream } from '../redis/stream.reset.js';
import { replaceMethod } from './handshake.check.js';
import { IoredisTrouble } from './ioredis.trouble.js';

/** The map that a Cluster of ioredis keeps, with its pool of clients. */
export class IoredisClusterMap implements ClusterMap {
  /** Caches the clients of the pool, because the pool builds a new list for each look-up. */
  readonly #clients = new Map<NodeKey, Redis>();

  constructor(
    private readonly cluster: Cluster,
    private readonly trouble: IoredisTrouble,
    /** Additional options of one more client of a node, beside the node's own options. */
    private readonly nodeOptions: (purpose: Purpose) => RedisOptions,
  ) {
    cluster.on('-node', () => this.#clients.clear());
  }

  /** The master of a slot; undefined while the slot has no known master. */
  ownerOf(slot: number): NodeKey | undefined {
    return this.cluster.slots[slot]?.[0];
  }

  /** Why there is no connection to a node, with its address; undefined while no failure is known. */
  troubleOf(node: NodeKey | undefined): string | undefined {
    const why = node === undefined ? undefined : this.trouble.ofNode(node);
    return why === undefined ? undefined : `${node}: ${why}`;
  }

  /** The known masters. */
  get masters(): NodeKey[] {
    return this.cluster.nodes('master').map(keyOf);
  }

  connectSubscriber(key: NodeKey): OpenClient | undefined {
    const client = this.#connect(key, this.nodeOptions('subscriber'));
    if (client === undefined) return undefined;
    // Version 5 of ioredis takes the message that a channel has moved for the answer to a command, and there may be none.
    client.on('error', (error) => {
      if (String(error).includes('Command queue state error')) client.emit('moved');
    });
    // One subscription for each slot may be under way.
    client.setMaxListeners(0);
    replaceMethod(client, 'ssubscribe', (ssubscribe, channels) => settled(client, ssubscribe(...channels)));
    return { client, trouble: new IoredisTrouble() };
  }

  connectOnce(key: NodeKey): Redis | undefined {
    const options = this.nodeOptions('commands');
    return this.#connect(key, { ...options, enableOfflineQueue: true, retryStrategy: () => null });
  }

  /** The connection for the commands of a node; undefined for an unknown node. */
  client(key: NodeKey): Redis | undefined {
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = this.cluster.nodes().find((node) => keyOf(node) === key);
    if (client !== undefined) this.#clients.set(key, client);
    return client;
  }

  /** The node behind an address, `host:port`, that the cluster reports. */
  keyAt(address: string): NodeKey {
    const { natMap } = this.cluster.options;
    const mapped = typeof natMap === 'function' ? natMap(address) : natMap?.[address];
    return mapped === undefined || mapped === null ? address : `${mapped.host}:${mapped.port}`;
  }

  /** Drops the connection to a node that gives no sign of life; the next command for it makes a new one. */
  drop(key: NodeKey): void {
    const client = this.client(key);
    if (client === undefined) return;
    resetStream(client);
    client.disconnect();
  }

  /** Reads from the cluster which node has which slot. Never rejects: without an answer the known slots stay. */
  async refresh(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.cluster.refreshSlotsCache(() => resolve());
    });
  }

  /** Calls `listener` when the map was refreshed, which is also done after a redirection. */
  onRefresh(listener: () => void): void {
    // The event comes before the callbacks of the requests.
    this.cluster.on('refresh', listener);
  }

  /** Connects to each master, because a command that arrives while the connection is being made would be refused. */
  async connectMasters(): Promise<void> {
    const idle = this.cluster.nodes('master').filter(({ status }) => status === 'wait');
    // Its cluster replaces a master that cannot be reached.
    await Promise.all(idle.map((node) => node.connect().catch(() => undefined)));
  }

  /** @returns undefined while no node is known at all */
  #connect(key: NodeKey, options: RedisOptions): Redis | undefined {
    // A lost node is no longer in the pool; all nodes of a cluster are reached with the same options.
    const [any] = this.cluster.nodes();
    const known = this.client(key) ?? any;
    const colon = key.lastIndexOf(':');
    return known?.duplicate({ ...options, host: key.slice(0, colon), port: Number(key.slice(colon + 1)) });
  }
}

/**
 * The answer to SSUBSCRIBE. That a channel has moved, version 5 of ioredis reports by the event alone, and the answer never comes. All that
 * are expected then are given up: the channels are subscribed again where the cluster has them now.
 */
async function settled(client: Redis, answer: Promise<unknown>): Promise<unknown> {
  let onMoved = (): void => undefined;
  const moved = new Promise<never>((_, reject) => {
    const failure = () =>
      new RedisFailure('refused', 'MOVED the channel has another node', { code: 'MOVED' });
    onMoved = () => reject(failure());
  });
  client.once('moved', onMoved);
  client.once('close', onMoved);
  try {
    return await Promise.race([answer, moved]);
  } finally {
    client.off('moved', onMoved);
    client.off('close', onMoved);
  }
}

function keyOf({ options }: Redis): NodeKey {
  return `${options.host}:${options.port}`;
}
