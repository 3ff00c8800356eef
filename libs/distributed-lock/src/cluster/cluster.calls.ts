import type { Redis, RedisOptions } from 'ioredis';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { ClusterMap, NodeKey } from './cluster.map.js';
import { slotOf } from '../redis/key.slot.js';
import { RedisFailure } from '../redis/redis.failure.js';

/** A node of a cluster, and the connection that commands for it go to. */
export interface ClusterNode {
  readonly key: NodeKey;
  readonly client: Redis;
}

/** Answers of a node that has not run a script: it may run elsewhere, or soon. */
const REDIRECTIONS: ReadonlySet<string> = new Set(['MOVED', 'ASK', 'TRYAGAIN']);

/** Redirections of one script, and pauses for a cluster that is being changed. */
const LONGEST_WAY = 8;

/** As long as ioredis waits before it asks a cluster again that is being changed, in ms. */
const PAUSE = 100;

/**
 * Sends scripts to the very connection of the master that has their keys, and follows its redirections. ioredis would send to any
 * node what the master's connection is not there for, a replica that has fallen silent among them, and nobody could tell
 * which connection a command hangs in.
 */
export class ClusterCalls {
  /** Nodes that the map does not know yet: a slot is on its way to them, and they have none so far. */
  readonly #guests = new Map<NodeKey, Redis>();
  /** Connections that hold their writes back until the end of this turn of the event loop. */
  readonly #corked = new Set<Redis['stream']>();

  constructor(
    private readonly map: ClusterMap,
    private readonly wheel: TimerWheel,
    /** What a connection to one more node has beside the node's own options. */
    private readonly options: RedisOptions = {},
  ) {
    map.onRefresh(() => this.#welcome());
  }

  close(): void {
    for (const guest of this.#guests.values()) guest.disconnect();
    this.#guests.clear();
  }

  /** All masters that are known. */
  get masters(): ClusterNode[] {
    return this.map.masters.flatMap((key) => this.#nodeAt(key) ?? []);
  }

  /** The master of a key; undefined while it is not known, or not connected to: then it is looked for. */
  ownerOf(key: string): ClusterNode | undefined {
    const owner = this.map.ownerOf(slotOf(key));
    const node = owner === undefined ? undefined : this.#nodeAt(owner);
    if (node === undefined) void this.map.refresh();
    return node;
  }

  /** The master of a key, for a command in this turn of the event loop; a RedisFailure `unsent` while none is known. */
  open(key: string): ClusterNode | RedisFailure {
    const node = this.ownerOf(key);
    if (node === undefined) return this.#unsent(key);
    this.#cork(node.client);
    return node;
  }

  /**
   * @param send sends the script to a node, at once or when it may
   * @throws RedisFailure `unsent` while no master is known; else what became of it
   */
  async send<T>(key: string, send: (node: ClusterNode) => Promise<T>): Promise<T> {
    const node = this.open(key);
    if (node instanceof RedisFailure) throw node;
    try {
      return await send(node);
    } catch (error) {
      return await this.follow(key, RedisFailure.from(error), send);
    }
  }

  /** Whether the script did not run, and may run elsewhere, or soon. */
  isRedirection({ kind, code = '' }: RedisFailure): boolean {
    return kind === 'refused' && REDIRECTIONS.has(code);
  }

  /**
   * Sends on what a node has not run.
   * @param refusal what it has said
   * @throws RedisFailure it, where that sends nobody on; else as {@link send} does
   */
  async follow<T>(key: string, refusal: RedisFailure, send: (node: ClusterNode) => Promise<T>): Promise<T> {
    let failure = refusal;
    for (let left = LONGEST_WAY; left > 0 && this.isRedirection(failure); left -= 1) {
      const isAsking = failure.code === 'ASK';
      if (failure.code === 'MOVED') await this.map.refresh();
      else if (!isAsking) await this.wheel.pause(PAUSE);
      const node = this.#named(failure) ?? this.ownerOf(key);
      if (node === undefined) throw this.#unsent(key);
      try {
        // On one connection, and in this turn of the event loop: it holds for the next command alone.
        this.#cork(node.client);
        if (isAsking) void node.client.asking().catch(() => undefined);
        return await send(node);
      } catch (error) {
        failure = RedisFailure.from(error);
      }
    }
    throw failure;
  }

  /** Keys of different slots cannot share a command; but the commands of one turn share a write to each node. */
  #cork({ status, stream }: Redis): void {
    if (status !== 'ready' || this.#corked.has(stream)) return;
    this.#corked.add(stream);
    stream.cork();
    process.nextTick(() => {
      this.#corked.delete(stream);
      stream.uncork();
    });
  }

  /** Whom an answer like `ASK 3999 127.0.0.1:6381` names; not for one that has moved, which the map knows by now. */
  #named({ code, message }: RedisFailure): ClusterNode | undefined {
    const address = message.split(' ')[2];
    if (code !== 'ASK' || address === undefined) return undefined;
    const key = this.map.keyAt(address);
    return this.#nodeAt(key) ?? this.#invite(key);
  }

  /** As ioredis makes the connections to nodes that it knows: used once, not tried again. */
  #invite(key: NodeKey): ClusterNode | undefined {
    const known = this.#guests.get(key);
    if (known !== undefined) return { key, client: known };
    const client = this.map.connect(key, {
      ...this.options,
      enableOfflineQueue: true,
      retryStrategy: () => null,
    });
    if (client === undefined) return undefined;
    this.#guests.set(key, client);
    // What becomes of it is told to each command.
    client.on('error', () => undefined);
    client.once('end', () => this.#guests.delete(key));
    return { key, client };
  }

  /** Those that the map knows by now need no connection of their own. */
  #welcome(): void {
    for (const [key, guest] of this.#guests) {
      if (this.map.client(key) === undefined) continue;
      this.#guests.delete(key);
      guest.disconnect();
    }
  }

  #nodeAt(key: NodeKey): ClusterNode | undefined {
    const client = this.map.client(key);
    return client === undefined ? undefined : { key, client };
  }

  #unsent(key: string): RedisFailure {
    const trouble = this.map.troubleOf(this.map.ownerOf(slotOf(key)));
    const why = trouble === undefined ? '' : ` (${trouble})`;
    return new RedisFailure('unsent', `there is no connection to the master of its slot${why}`);
  }
}
