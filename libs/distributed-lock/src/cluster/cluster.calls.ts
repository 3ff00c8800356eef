import type { NodePort } from '../client-port/client.port.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { slotOf } from '../redis/key.slot.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { resetStream } from '../redis/stream.reset.js';
import { machine } from '../timing/machine.js';

/** A node of a cluster, and the connection for its commands. */
export interface ClusterNode {
  readonly key: NodeKey;
  readonly client: NodePort;
}

/** A socket that can hold its writes back. */
interface CorkedStream {
  cork(): void;
  uncork(): void;
}

/** The maximum number of redirections of one script, and of pauses for a cluster that is being changed. */
const MAX_REDIRECTIONS = 8;

/** The time that clients wait before they try again in a cluster that is being changed, in ms. */
const RETRY_PAUSE = 100;

/**
 * Sends scripts on the connection to the master that has their keys, and follows its redirections. A client would fall back to any
 * node while there is no connection to the master, also to a replica that has fallen silent, and then the connection
 * on which a command hangs would be unknown.
 */
export class ClusterCalls {
  /** Nodes that the map does not know yet: a slot is on its way to them, and they have none so far. */
  readonly #redirectNodes = new Map<NodeKey, NodePort>();
  /** Connections that hold their writes back until the end of this turn of the event loop. */
  readonly #corked = new Set<CorkedStream>();

  constructor(
    private readonly map: ClusterMap,
    private readonly wheel: TimerWheel,
  ) {
    map.onRefresh(() => this.#closeRedirectNodes());
  }

  close(): void {
    for (const redirectNode of this.#redirectNodes.values()) redirectNode.disconnect();
    this.#redirectNodes.clear();
  }

  /** All known masters. */
  get masters(): ClusterNode[] {
    return this.map.masters.flatMap((key) => this.#nodeAt(key) ?? []);
  }

  /** The master of a key; undefined while it is unknown, or not connected: then the map is refreshed. */
  ownerOf(key: string): ClusterNode | undefined {
    const owner = this.map.ownerOf(slotOf(key));
    const node = owner === undefined ? undefined : this.#nodeAt(owner);
    if (node === undefined) void this.map.refresh();
    return node;
  }

  /** The master of a key, for a command in this turn of the event loop; a RedisFailure `unsent` while no master is known. */
  open(key: string): ClusterNode | RedisFailure {
    const node = this.ownerOf(key);
    if (node === undefined) return this.#unsent(key);
    this.#cork(node.client);
    return node;
  }

  /**
   * @param send sends the script to a node, at once or as soon as that is allowed
   * @throws RedisFailure `unsent` while no master is known; otherwise the failure of the script
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

  /** Whether the script did not run, and another node may run it, or the same node soon. */
  isRedirection({ code, isRedirection }: RedisFailure): boolean {
    return isRedirection || code === 'TRYAGAIN';
  }

  /**
   * Sends a script that a node has not run to the next node.
   * @param refusal the node's answer
   * @throws RedisFailure `refusal` itself, unless it redirects to a node; otherwise as {@link send} does
   */
  async follow<T>(key: string, refusal: RedisFailure, send: (node: ClusterNode) => Promise<T>): Promise<T> {
    let failure = refusal;
    for (let left = MAX_REDIRECTIONS; left > 0 && this.isRedirection(failure); left -= 1) {
      const isAsking = failure.code === 'ASK';
      const isKnown = failure.code === 'MOVED' && (await this.#learnOwner(key));
      if (!isKnown && !failure.isRedirection) await this.wheel.pause(RETRY_PAUSE);
      const node = (isKnown ? undefined : this.#nodeNamedBy(failure)) ?? this.ownerOf(key);
      if (node === undefined) throw this.#unsent(key);
      try {
        // On one connection, and in this turn of the event loop: ASKING holds for the next command alone.
        this.#cork(node.client);
        if (isAsking) void node.client.asking().catch(() => undefined);
        return await send(node);
      } catch (error) {
        failure = RedisFailure.from(error);
      }
    }
    throw failure;
  }

  /** Drops the connection to a node that gives no sign of life: one of the map, or one of a redirection. */
  drop(key: NodeKey): void {
    const redirectNode = this.#redirectNodes.get(key);
    if (redirectNode !== undefined) {
      resetStream(redirectNode);
      redirectNode.disconnect();
    }
    this.map.drop(key);
  }

  /** Keys of different slots cannot share a command; but the commands of one turn share a write to each node. */
  #cork({ status, stream }: NodePort): void {
    if (status !== 'ready' || !isCorkable(stream) || this.#corked.has(stream)) return;
    this.#corked.add(stream);
    stream.cork();
    machine.own.nextTick(() => {
      this.#corked.delete(stream);
      stream.uncork();
    });
  }

  /** Reads the map again. @returns whether it names another owner now: a node that it has asked may not know of the change yet */
  async #learnOwner(key: string): Promise<boolean> {
    const slot = slotOf(key);
    const before = this.map.ownerOf(slot);
    await this.map.refresh();
    return this.map.ownerOf(slot) !== before;
  }

  /** The node that an answer like `ASK 3999 127.0.0.1:6381` names. */
  #nodeNamedBy({ message, isRedirection }: RedisFailure): ClusterNode | undefined {
    const address = message.split(' ')[2];
    // Without a host it is one of the node that answers.
    if (!isRedirection || address === undefined || address.startsWith(':')) return undefined;
    const key = this.map.keyAt(address);
    return this.#nodeAt(key) ?? this.#connectRedirectNode(key);
  }

  /** Connects to a node as the map does to the nodes that it knows: the connection is used once, and not tried again. */
  #connectRedirectNode(key: NodeKey): ClusterNode | undefined {
    const known = this.#redirectNodes.get(key);
    if (known !== undefined) return { key, client: known };
    const client = this.map.connectOnce(key);
    if (client === undefined) return undefined;
    this.#redirectNodes.set(key, client);
    // Each command reports its own failure.
    client.on('error', () => undefined);
    client.once('end', () => this.#redirectNodes.delete(key));
    return { key, client };
  }

  /** Closes the connections of redirections to nodes that the map knows by now. */
  #closeRedirectNodes(): void {
    for (const [key, redirectNode] of this.#redirectNodes) {
      if (this.map.client(key) === undefined) continue;
      this.#redirectNodes.delete(key);
      redirectNode.disconnect();
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

/** Not where the client writes the commands of one turn at once, and shows no socket. */
function isCorkable(stream: unknown): stream is CorkedStream {
  return typeof stream === 'object' && stream !== null && 'cork' in stream;
}
