import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClusterMap, NodeKey } from '../client-port/cluster.map.js';
import { slotOf } from '../redis/key.slot.js';
import type { PubSubMode } from '../redis/pub-sub.mode.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { SubscriberConnection } from '../redis/subscriber.connection.js';
import type { Subscriber, SubscriberListener } from '../redis/subscriber.contract.js';
import { machine } from '../timing/machine.js';

/** Pause before the cluster is asked again for the nodes of channels without a subscription, in ms. */
const SEARCH_PAUSE = 250;

/** How long an application that starts waits for the connections to the other nodes, once it has one, in ms. */
const START_TIMEOUT = 500;

/**
 * How long after a server gave channels up the cluster is asked, in ms: until the change has spread, an answer may still name
 * that server, and it takes subscriptions as the replica that it is, but may not receive every message.
 */
const SLOT_CHANGE_TIME = 5000;

/** What a {@link ClusterSubscriber} is made of. */
interface ClusterSubscriberParts {
  readonly map: ClusterMap;
  readonly mode: PubSubMode;
  readonly wheel: TimerWheel;
  /** Makes the connection to a node; undefined while no node is known. */
  readonly connect: (node: NodeKey) => SubscriberConnection | undefined;
  /** Connects to the cluster, whose answers say which kind of channels it has, and on which nodes. */
  readonly start: () => void;
}

/**
 * Subscribes in a cluster: to a sharded channel on the node that has its slot, to all classic channels on one node. A channel
 * follows its slot, and is reported as restored when it has arrived. One connection per node, reached like the node itself.
 */
export class ClusterSubscriber implements Subscriber {
  readonly #connections = new Map<NodeKey, SubscriberConnection>();
  /** Every wanted channel, and its node. */
  readonly #channelNodes = new Map<string, NodeKey | undefined>();
  readonly #movedConnections = new Set<SubscriberConnection>();
  /** The node of the classic channels. */
  #classicNode: NodeKey | undefined;
  #listener: SubscriberListener | undefined;
  #searchTimer: Timer | undefined;
  #isSearching = false;
  #searchUntil = -Infinity;
  #isClosed = false;

  constructor(private readonly parts: ClusterSubscriberParts) {
    parts.map.onRefresh(() => this.#moveChannels());
    parts.mode.whenKnown(() => this.#moveChannels());
  }

  listen(listener: SubscriberListener): void {
    this.#listener = listener;
  }

  async subscribe(channel: string): Promise<void> {
    this.#channelNodes.set(channel, undefined);
    if (!this.parts.mode.isKnown) {
      this.parts.start();
      throw new RedisFailure(
        'unsent',
        'the cluster has not reported yet whether it supports sharded channels',
      );
    }
    const owner = this.#ownerOf(channel);
    const connection = this.#connectionOf(owner);
    if (connection === undefined) {
      this.#searchSoon();
      throw new RedisFailure('unsent', 'no known node of the cluster serves the channel');
    }
    this.#channelNodes.set(channel, owner);
    try {
      await connection.subscribe(channel);
    } catch (error) {
      this.#searchSoon();
      throw error;
    }
  }

  unsubscribe(channel: string): void {
    const node = this.#channelNodes.get(channel);
    this.#channelNodes.delete(channel);
    if (node !== undefined) this.#connections.get(node)?.unsubscribe(channel);
  }

  async untilReady(timeout: number): Promise<void> {
    const known = new Promise<true>((resolve) => this.parts.mode.whenKnown(() => resolve(true)));
    if ((await this.parts.wheel.within(timeout, known)) === undefined)
      throw new RedisFailure(
        'unsent',
        'no node of the cluster has reported whether it supports sharded channels',
      );
    const nodes = this.parts.mode.isSharded ? this.parts.map.masters : [this.#chooseClassicNode()];
    const connections = nodes.flatMap((node) => this.#connectionOf(node) ?? []);
    // A node that stands still must not stop an application that starts: its channels follow when the node has been replaced.
    const ready = connections.map((connection) => connection.untilReady(timeout));
    await Promise.any(ready).catch((error: AggregateError) => {
      throw error.errors[0];
    });
    await this.parts.wheel.within(START_TIMEOUT, Promise.allSettled(ready));
  }

  restart(): void {
    for (const connection of this.#connections.values()) connection.restart();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.parts.wheel.cancel(this.#searchTimer);
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  #ownerOf(channel: string): NodeKey | undefined {
    return this.parts.mode.isSharded ? this.parts.map.ownerOf(slotOf(channel)) : this.#chooseClassicNode();
  }

  /** The node for classic channels: the chosen node, as long as its connection lasts. */
  #chooseClassicNode(): NodeKey | undefined {
    const { masters } = this.parts.map;
    if (this.#classicNode !== undefined && masters.includes(this.#classicNode)) return this.#classicNode;
    return (this.#classicNode = masters[Math.floor(machine.global.Math.random() * masters.length)]);
  }

  #connectionOf(node: NodeKey | undefined): SubscriberConnection | undefined {
    if (node === undefined || this.#isClosed) return undefined;
    const known = this.#connections.get(node);
    if (known !== undefined) return known;
    const connection = this.parts.connect(node);
    if (connection === undefined) return undefined;
    this.#connections.set(node, connection);
    connection.listen({
      message: (channel, payload) => this.#listener?.message(channel, payload),
      resubscribed: (channel) => this.#listener?.resubscribed(channel),
      disconnected: (channel) => this.#lost(node, channel),
    });
    connection.onMoved(() => {
      // Until they are found again, waiters must not rely on messages of this server.
      for (const [channel, owner] of this.#channelNodes)
        if (owner === node) this.#listener?.disconnected(channel);
      this.#movedConnections.add(connection);
      this.#searchUntil = now() + SLOT_CHANGE_TIME;
      this.#searchSoon();
    });
    return connection;
  }

  #lost(node: NodeKey, channel: string): void {
    this.#listener?.disconnected(channel);
    // Any other node will do for classic channels; a sharded one waits until its slot has a master again.
    if (node === this.#classicNode)
      this.#classicNode = this.parts.map.masters.find((other) => other !== node);
    this.#searchSoon();
  }

  /** Asks the cluster for the nodes of the channels; repeats that until each channel has a subscription. */
  #searchSoon(delay = 0): void {
    if (this.#isSearching || this.#isClosed) return;
    this.#isSearching = true;
    this.#searchTimer = this.parts.wheel.after(delay, () => void this.#refreshMap());
  }

  async #refreshMap(): Promise<void> {
    await this.parts.map.refresh();
    this.#isSearching = false;
    if (this.#isClosed) return;
    this.#moveChannels();
    // A server that gave a channel up may have it again, or may still own another one of the channels.
    for (const connection of this.#movedConnections) void connection.resubscribe();
    this.#movedConnections.clear();
    const hasUnsubscribed = [...this.#channelNodes.values()].some(
      (node) => node === undefined || this.#connections.get(node)?.lifecycle.isReady !== true,
    );
    if (hasUnsubscribed || now() < this.#searchUntil) this.#searchSoon(SEARCH_PAUSE);
  }

  /** Moves each channel to its current node. */
  #moveChannels(): void {
    if (!this.parts.mode.isKnown || this.#isClosed) return;
    const arrivals = new Map<SubscriberConnection, string[]>();
    for (const [channel, node] of this.#channelNodes) {
      const owner = this.#ownerOf(channel);
      if (owner === undefined || owner === node) continue;
      const connection = this.#connectionOf(owner);
      if (connection === undefined) continue;
      if (node !== undefined) {
        this.#listener?.disconnected(channel);
        this.#connections.get(node)?.unsubscribe(channel);
      }
      this.#channelNodes.set(channel, owner);
      const group = arrivals.get(connection);
      if (group === undefined) arrivals.set(connection, [channel]);
      else group.push(channel);
    }
    for (const [connection, channels] of arrivals) void connection.subscribeMoved(channels);
    this.#closeUnusedConnections();
  }

  /** Drops the connections to nodes that are no masters any more, and have none of our channels. */
  #closeUnusedConnections(): void {
    const { masters } = this.parts.map;
    for (const [node, connection] of this.#connections) {
      if (masters.includes(node) || connection.size > 0) continue;
      this.#connections.delete(node);
      void connection.close();
    }
  }
}
