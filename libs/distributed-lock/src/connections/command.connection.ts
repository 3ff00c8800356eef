import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { AckedCalls, SERVER, type AckedServers, type Answer, type Send } from '../cluster/acked.calls.js';
import type { ClientLifecycle } from '../redis/client.lifecycle.js';
import { ClusterCalls, type ClusterNode } from '../cluster/cluster.calls.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import { isReplica } from '../client-port/server.role.js';
import type { ScriptCommand, ScriptWords, SendScript } from '../client-port/script.command.js';
import type { Commands, CommandCallback } from './command.contract.js';
import { slotOf } from '../redis/key.slot.js';
import type { PubSubMode } from '../redis/pub-sub.mode.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { StallGuard } from '../redis/stall.guard.js';

type Role = 'master' | 'replica';

/** The parts of a connection that sends commands. */
export interface CommandConnectionParts {
  readonly lifecycle: ClientLifecycle;
  readonly mode: PubSubMode;
  readonly wheel: TimerWheel;
  /** Silence in ms, while an answer is expected, that counts as a stall. */
  readonly stallTimeout: number;
  /** Drops the connections, and makes new ones. */
  readonly restart: () => void;
  /** The map of a cluster; undefined for one server. */
  readonly map?: ClusterMap | undefined;
  readonly sendScript: SendScript;
  /** Undefined where no replicas have to acknowledge. */
  readonly acked?: Pick<AckedServers, 'acks' | 'server'> | undefined;
}

/** The connection that scripts are sent on; in a cluster one per node. A command is sent at most once. */
export class CommandConnection implements Commands {
  readonly lifecycle: ClientLifecycle;
  /** Whether replicas have to acknowledge grants. */
  readonly isAcked: boolean;
  readonly #guards = new Map<NodeKey, StallGuard>();
  readonly #cluster: ClusterCalls | undefined;
  readonly #acked: AckedCalls | undefined;
  readonly #send: SendScript;
  #demotedAt = -Infinity;
  /** While the server is asked for its role. */
  #role: Promise<Role | undefined> | undefined;

  constructor(private readonly parts: CommandConnectionParts) {
    this.lifecycle = parts.lifecycle;
    this.#send = parts.sendScript;
    const { mode, map, lifecycle, acked, wheel, stallTimeout } = parts;
    this.#cluster = map && new ClusterCalls(map, wheel);
    this.isAcked = acked !== undefined;
    if (acked !== undefined) {
      const guardOf = (node: NodeKey) => this.#guardAt(node);
      this.#acked = new AckedCalls({ ...acked, cluster: this.#cluster, guardOf });
      lifecycle.onReady(() => this.#acked?.countReplicas());
    }
    if (map === undefined) return;
    lifecycle.onReady(() => void mode.detect(lifecycle, wheel, stallTimeout));
  }

  get isReady(): boolean {
    const { map, mode } = this.parts;
    return this.lifecycle.isReady && (map === undefined || mode.isKnown);
  }

  /** The command that publishes on a channel. */
  get publish(): 'PUBLISH' | 'SPUBLISH' {
    const { map, mode } = this.parts;
    return map !== undefined && mode.isSharded ? 'SPUBLISH' : 'PUBLISH';
  }

  /** Calls `listener` each time commands can be sent again. */
  onReady(listener: () => void): void {
    this.lifecycle.onReady(() => this.parts.mode.whenKnown(listener));
  }

  /** Keys of one group can share one script: all keys, or those of a slot. */
  groupOf(key: string): number {
    return this.parts.map === undefined ? 0 : slotOf(key);
  }

  /** Ends the connection permanently; commands under way are rejected. */
  async close(): Promise<void> {
    this.#cluster?.close();
    await this.lifecycle.close();
  }

  /** Resolves when a script may be sent whose grants replicas have to acknowledge. */
  async untilSendable(key: string): Promise<void> {
    await this.#acked?.untilSendable(key);
  }

  /**
   * Runs a script.
   * @param isAcked whether replicas have to acknowledge its grants: then it must be sent in its {@link untilSendable}
   */
  run(command: ScriptCommand, words: ScriptWords, isAcked: boolean, callback: CommandCallback): void {
    const [, , key = ''] = words;
    if (isAcked && this.#acked !== undefined)
      this.#sendAcked(this.#acked, key, (client) => this.#send(client, command, words), callback);
    else if (this.#cluster !== undefined)
      this.#sendToOwner(this.#cluster, key, (client) => this.#send(client, command, words), callback);
    else this.#onReply(SERVER, this.#send(this.lifecycle.client, command, words), callback);
  }

  /** To be called for a master that has been replaced, and can still be reached: its name, the sentinels or its cluster may lead to the new one. */
  demoted(): void {
    if (now() - this.#demotedAt < this.parts.stallTimeout) return;
    this.#demotedAt = now();
    if (this.parts.map === undefined) this.parts.restart();
    else void this.parts.map.refresh();
  }

  #sendAcked(acked: AckedCalls, key: string, send: Send, callback: CommandCallback): void {
    report(
      callback,
      acked.send(key, (client, node) => this.#reply(node, send(client, node))),
    );
  }

  /** One redirection in thousands: only a redirected script needs more than its callback. */
  #sendToOwner(cluster: ClusterCalls, key: string, send: Send, callback: CommandCallback): void {
    const owner = cluster.open(key);
    if (owner instanceof RedisFailure) {
      callback.failed(owner);
      return;
    }
    const again = async ({ key: node, client }: ClusterNode) => ({
      reply: await this.#reply(node, send(client, node)),
    });
    this.#onReply(owner.key, send(owner.client, owner.key), {
      answered: (reply) => callback.answered(reply),
      failed: (failure) => {
        if (cluster.isRedirection(failure)) report(callback, cluster.follow(key, failure, again));
        else callback.failed(failure);
      },
    });
  }

  #reply(node: NodeKey, sent: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => this.#onReply(node, sent, { answered: resolve, failed: reject }));
  }

  #onReply(node: NodeKey, sent: Promise<unknown>, callback: CommandCallback): void {
    const guard = this.#guardAt(node);
    guard.expect();
    sent.then(
      (reply) => {
        guard.progress();
        callback.answered(reply);
      },
      (error: unknown) => {
        guard.progress();
        const failure = RedisFailure.from(error);
        // A node that its cluster has replaced says this for as long as it is cut off from the others, which may have another one for the slot.
        if (failure.code === 'CLUSTERDOWN' && this.parts.map !== undefined) this.demoted();
        if (this.parts.map === undefined && failure.isRedirection) void this.#redirected(failure, callback);
        else callback.failed(failure);
      },
    );
  }

  /**
   * A connection to one server cannot follow a redirection. A master sends its clients away for as long as another node has the slot;
   * a replica does so after a failover, and the address may lead to the new master soon.
   */
  async #redirected(failure: RedisFailure, callback: CommandCallback): Promise<void> {
    this.#role ??= this.#readRole().finally(() => (this.#role = undefined));
    const role = await this.#role;
    if (role === 'replica') this.demoted();
    callback.failed(role === 'master' ? failure.asFinal() : failure);
  }

  /** @returns undefined if the server cannot be asked now */
  async #readRole(): Promise<Role | undefined> {
    try {
      const info = await this.lifecycle.client.info('replication');
      return isReplica(String(info)) ? 'replica' : 'master';
    } catch (error) {
      // A user that may not ask has the address of a master, as far as the handshake could tell.
      return RedisFailure.from(error).kind === 'refused' ? 'master' : undefined;
    }
  }

  /** One guard per server: a node that stands still must not cost the others of its cluster their connections. */
  #guardAt(node: NodeKey): StallGuard {
    const { wheel, stallTimeout, restart } = this.parts;
    const cluster = this.#cluster;
    const known = this.#guards.get(node);
    if (known !== undefined) return known;
    const guard = new StallGuard(wheel, stallTimeout, () =>
      cluster === undefined ? restart() : cluster.drop(node),
    );
    this.#guards.set(node, guard);
    return guard;
  }
}

function report(callback: CommandCallback, answer: Promise<Answer>): void {
  answer.then(
    ({ reply, verdict }) => callback.answered(reply, verdict),
    (error: unknown) => callback.failed(RedisFailure.from(error)),
  );
}
