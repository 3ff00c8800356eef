import type { ClusterCalls } from './cluster.calls.js';
import type { NodeKey } from '../client-port/cluster.map.js';
import type { RedisFailure } from '../redis/redis.failure.js';
import type { AnswerWatch, NodeAcks, NodeConnection, ReplicaAcks } from './replica.acks.js';
import type { ScriptPort } from '../client-port/script.command.js';

/** A script's reply, and whether its grants count. */
export interface Answer {
  readonly reply: unknown;
  /** Resolves with the reason why the grant must not count; with undefined when it counts. None where no replicas are waited for. */
  readonly verdict?: Promise<RedisFailure | undefined>;
}

/** Sends a script to a node, on its connection. */
export type Send = (client: ScriptPort, node: NodeKey) => Promise<unknown>;

/** The name of the one server. */
export const SERVER: NodeKey = '';

/** The servers that scripts are sent to whose grants replicas have to acknowledge. */
export interface AckedServers {
  readonly acks: ReplicaAcks;
  /** The one server; undefined in a cluster. */
  readonly server?: NodeConnection | undefined;
  readonly cluster?: ClusterCalls | undefined;
  /** Detects a server that has fallen silent. */
  readonly guardOf: (node: NodeKey) => AnswerWatch;
}

/** Sends scripts so that a `WAIT` can follow them on their connection. */
export class AckedCalls {
  constructor(private readonly servers: AckedServers) {}

  /** Counts the replicas of every server, so that a warning comes early. */
  countReplicas(): void {
    const { server, cluster } = this.servers;
    if (server !== undefined) this.#acksOf(SERVER, server);
    for (const { key, client } of cluster?.masters ?? []) this.#acksOf(key, client);
  }

  /** Resolves when a script for a key may be sent. */
  async untilSendable(key: string): Promise<void> {
    let last: NodeAcks | undefined;
    for (let acks = this.#acksFor(key); acks !== last; acks = this.#acksFor(key)) {
      last = acks;
      await acks?.untilSendable();
    }
  }

  /** To be called when it is the key's {@link untilSendable}. @throws RedisFailure, or what the client rejects with */
  async send(key: string, command: Send): Promise<Answer> {
    const { server, cluster } = this.servers;
    if (server !== undefined) return await this.#sendWithAcks(SERVER, server, command);
    if (cluster === undefined) throw new TypeError('neither a server nor a cluster');
    return await cluster.send(key, (node) => this.#sendWithAcks(node.key, node.client, command));
  }

  async #sendWithAcks(key: NodeKey, node: NodeConnection, command: Send): Promise<Answer> {
    const sent = command(node, key);
    const verdict = this.#acksOf(key, node).join();
    return { reply: await sent, verdict };
  }

  /** Those of the server that has a key now: a slot may move, and a connection may end, while a script waits. */
  #acksFor(key: string): NodeAcks | undefined {
    const { server, cluster } = this.servers;
    if (server !== undefined) return this.#acksOf(SERVER, server);
    const node = cluster?.ownerOf(key);
    return node && this.#acksOf(node.key, node.client);
  }

  #acksOf(key: NodeKey, node: NodeConnection): NodeAcks {
    return this.servers.acks.of(key, node, this.servers.guardOf(key));
  }
}
