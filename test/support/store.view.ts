import { Cluster, Redis } from 'ioredis';
import type { TopologySource } from './topology/topology.source.js';

/** What is in a store, whether that is one server or a cluster: all its servers as one. */
export class StoreView {
  private constructor(readonly client: Redis | Cluster) {}

  /** @param source an ordinary client, which is closed with the view, or the place of the servers */
  static at(source: string | TopologySource): StoreView {
    if (source instanceof Redis || source instanceof Cluster) return new StoreView(source);
    if (typeof source === 'string') return new StoreView(new Redis(source));
    // With the detector, a client of ioredis that looks for the new master ends for good when the sentinels report the failover then.
    return new StoreView(new Redis({ ...source, failoverDetector: false }));
  }

  get #masters(): readonly Redis[] {
    return this.client instanceof Cluster ? this.client.nodes('master') : [this.client];
  }

  /** Classic channels may be on any node of a cluster, a replica as well. */
  get #nodes(): readonly Redis[] {
    return this.client instanceof Cluster ? this.client.nodes('all') : [this.client];
  }

  async keys(pattern: string): Promise<string[]> {
    const found = await Promise.all(this.#masters.map((node) => node.keys(pattern)));
    return found.flat();
  }

  /** Takes keys away that may stand anywhere. */
  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.client.del(key);
  }

  /** Gives a semaphore of one permit its permit back, whoever has it. */
  async refill(semaphore: string): Promise<void> {
    await this.client.multi().del(`{${semaphore}}:timeout`).set(semaphore, 1).exec();
  }

  /** How many permits are taken whose leases are not over, by the key of the leases. */
  async permitsTaken(timeout: string): Promise<number> {
    return await this.client.zcount(timeout, Date.now(), '+inf');
  }

  /** The channels that anybody listens to, sharded ones and others. */
  async channels(pattern: string): Promise<string[]> {
    const found = await Promise.all(
      this.#nodes.flatMap((node) => [ask(node, 'CHANNELS', pattern), ask(node, 'SHARDCHANNELS', pattern)]),
    );
    return [...new Set(found.flat().map(String))];
  }

  /** How many connections listen to a channel. */
  async listeners(channel: string): Promise<number> {
    const counts = await Promise.all(
      this.#nodes.flatMap((node) => [ask(node, 'NUMSUB', channel), ask(node, 'SHARDNUMSUB', channel)]),
    );
    return counts.reduce((sum, [, count]) => sum + Number(count ?? 0), 0);
  }

  close(): void {
    this.client.disconnect();
  }
}

/** Before version 7 there are no sharded channels, and no words for them. */
async function ask(node: Redis, ...words: readonly string[]): Promise<readonly unknown[]> {
  const reply: unknown = await node.call('PUBSUB', ...words).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'ReplyError') return [];
    throw error;
  });
  return Array.isArray(reply) ? reply : [];
}
