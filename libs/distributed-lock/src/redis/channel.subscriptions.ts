import { AsyncLocalStorage } from 'node:async_hooks';
import type { Subscriber } from './subscriber.contract.js';
import { machine } from '../timing/machine.js';

/** One user of a channel. */
export interface Subscription {
  /** Whether Redis has acknowledged the subscription, so that no message from now on is missed. */
  readonly isActive: boolean;
  /** Resolves when Redis has acknowledged the subscription, or has failed to: see {@link isActive}. */
  readonly acknowledged: Promise<void>;
  /** Ends this use of the channel; after its last user the channel is unsubscribed at the end of the turn. */
  release(): void;
}

/** Receives the messages of a channel: a payload, or undefined when messages may have been missed. */
export type Listener = (payload: string | undefined) => void;

interface Channel {
  /** Each listener, with its `onDisconnected`. */
  readonly listeners: Map<Listener, (() => void) | undefined>;
  isActive: boolean;
  acknowledged: Promise<void>;
}

/** The channels of a module instance on its one subscriber, each subscribed once for all its users. */
export class ChannelSubscriptions {
  readonly #channels = new Map<string, Channel>();
  /** The channels whose last user has left in this turn. */
  #unused: string[] = [];
  /** The async context of no request, because a subscription is sent for all its users. */
  readonly #outside = AsyncLocalStorage.snapshot();

  constructor(private readonly subscriber: Subscriber) {
    subscriber.listen({
      message: (name, payload) => this.notify(name, payload),
      resubscribed: (name) => this.#onResubscribed(name),
      disconnected: (name) => this.#onDisconnected(name),
    });
  }

  /** Channels with a listener. */
  get size(): number {
    let size = 0;
    for (const { listeners } of this.#channels.values()) if (listeners.size > 0) size += 1;
    return size;
  }

  /** Whether messages of the channel reach this process, so that PUBLISH counts it as a client. */
  isActive(name: string): boolean {
    return this.#channelOf(name)?.isActive === true;
  }

  /** How many users the channel has in this process. */
  listeners(name: string): number {
    return this.#channelOf(name)?.listeners.size ?? 0;
  }

  /** @param onDisconnected called when no message arrives until the channel is subscribed again, which may take long, or be forbidden */
  subscribe(name: string, listener: Listener, onDisconnected?: () => void): Subscription {
    const channel = this.#channels.get(name) ?? this.#open(name);
    channel.listeners.set(listener, onDisconnected);
    return {
      get isActive() {
        return channel.isActive;
      },
      get acknowledged() {
        return channel.acknowledged;
      },
      release: () => this.#release(name, channel, listener),
    };
  }

  /** Looks nothing up while there is no subscription: hashing the new text of a name takes time in each release. */
  #channelOf(name: string): Channel | undefined {
    return this.#channels.size === 0 ? undefined : this.#channels.get(name);
  }

  #open(name: string): Channel {
    const channel: Channel = { listeners: new Map(), isActive: false, acknowledged: Promise.resolve() };
    this.#channels.set(name, channel);
    channel.acknowledged = this.subscriber.subscribe(name).then(
      () => {
        channel.isActive = true;
      },
      // The connection is away, and restores the subscription when it is back; or the ACL of Redis forbids it. Waiters poll meanwhile.
      () => undefined,
    );
    return channel;
  }

  #release(name: string, channel: Channel, listener: Listener): void {
    if (!channel.listeners.delete(listener) || channel.listeners.size > 0) return;
    this.#unused.push(name);
    if (this.#unused.length === 1) this.#outside(() => machine.own.setImmediate(() => this.#unsubscribe()));
  }

  /** Called in a later turn of the event loop: the waiter that was just admitted goes on first, and does not wait for the unsubscribe. */
  #unsubscribe(): void {
    for (const name of this.#unused.splice(0)) {
      if (this.listeners(name) > 0 || !this.#channels.delete(name)) continue;
      this.subscriber.unsubscribe(name);
    }
  }

  /** Passes a message to the listeners of this process. */
  notify(name: string, payload: string | undefined): void {
    for (const listener of this.#channels.get(name)?.listeners.keys() ?? []) listener(payload);
  }

  #onDisconnected(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.isActive = false;
    for (const onDisconnected of channel.listeners.values()) onDisconnected?.();
  }

  #onResubscribed(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    channel.isActive = true;
    this.notify(name, undefined);
  }
}
