import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import { slotOf } from './key.slot.js';
import { PingTimer } from './ping.timer.js';
import { RedisFailure } from './redis.failure.js';
import { StallGuard } from './stall.guard.js';
import { SubscriptionBatch } from './subscription.batch.js';
import type { Subscriber, SubscriberListener } from './subscriber.contract.js';

/** Pause before the next ping to a server that is busy with a script, in ms: it refuses even this. */
const RETRY_PAUSE = 1000;

/** What a {@link SubscriberConnection} is made of. */
interface SubscriberConnectionParts {
  readonly lifecycle: ClientLifecycle;
  readonly wheel: TimerWheel;
  /** After how many ms without an answer that is expected the connection counts as stalled. */
  readonly stallTimeout: number;
  /** Called after a stall. */
  readonly stalled: () => void;
  /** Whether its channels are sharded ones. @default false */
  readonly isSharded?: boolean;
}

/** One connection with the subscriptions on one server, to any number of channels, all of them sharded or none. */
export class SubscriberConnection implements Subscriber {
  readonly #wantedChannels = new Set<string>();
  readonly #stallGuard: StallGuard;
  /** Channels whose subscription, or its end, was refused for now. */
  readonly #refusedChannels = new Set<string>();
  readonly #batch = new SubscriptionBatch({
    subscribe: (channels) => this.#subscribeAll(channels),
    unsubscribe: (channels) => this.#unsubscribeAll(channels),
  });
  readonly #pings: PingTimer;
  #retry: Timer | undefined;
  /** How often the connection has closed. */
  #closes = 0;
  #listener: SubscriberListener | undefined;

  readonly lifecycle: ClientLifecycle;
  readonly #wheel: TimerWheel;
  readonly #isSharded: boolean;

  constructor({ lifecycle, wheel, stallTimeout, stalled, isSharded = false }: SubscriberConnectionParts) {
    this.lifecycle = lifecycle;
    this.#wheel = wheel;
    this.#isSharded = isSharded;
    this.#stallGuard = new StallGuard(wheel, stallTimeout, stalled);
    this.#pings = new PingTimer(wheel, () => void this.#ping());
    const { client } = lifecycle;
    client.on(isSharded ? 'smessage' : 'message', (channel = '', payload = '') => {
      this.#pings.received();
      this.#listener?.message(channel, payload);
    });
    client.on('close', () => {
      this.#closes += 1;
      this.#refusedChannels.clear();
      for (const channel of this.#wantedChannels) this.#listener?.disconnected(channel);
    });
    lifecycle.onReady(() => void this.resubscribe());
  }

  /** Channels that are subscribed, or will be once the connection is there. */
  get size(): number {
    return this.#wantedChannels.size;
  }

  listen(listener: SubscriberListener): void {
    this.#listener = listener;
  }

  /** Calls `listener` when the server reports that a channel is no longer its own. */
  onMoved(listener: () => void): void {
    this.lifecycle.client.on('moved', listener);
  }

  async subscribe(channel: string): Promise<void> {
    this.lifecycle.start();
    this.#want(channel);
    await this.#batch.subscribe(channel);
  }

  /** Subscribes to channels of another connection, and reports them as restored. */
  async subscribeMoved(channels: readonly string[]): Promise<void> {
    this.lifecycle.start();
    for (const channel of channels) this.#want(channel);
    if (this.lifecycle.isReady) await this.#resubscribe(channels);
  }

  unsubscribe(channel: string): void {
    if (!this.#wantedChannels.delete(channel)) return;
    if (this.#wantedChannels.size === 0) this.#pings.stop();
    this.#batch.unsubscribe(channel);
  }

  /** Subscribes to all channels again. */
  async resubscribe(): Promise<void> {
    await this.#resubscribe([...this.#wantedChannels]);
  }

  untilReady(timeout: number): Promise<void> {
    return this.lifecycle.untilReady(timeout);
  }

  restart(): void {
    this.lifecycle.restart();
  }

  async close(): Promise<void> {
    this.#pings.stop();
    this.#wheel.cancel(this.#retry);
    await this.lifecycle.close();
  }

  #want(channel: string): void {
    this.#wantedChannels.add(channel);
    this.#pings.start();
  }

  /** Sharded channels of two slots never share one command. */
  #groupsOf(channels: readonly string[]): string[][] {
    const groups = new Map<number, string[]>();
    for (const channel of channels) {
      const slot = this.#isSharded ? slotOf(channel) : 0;
      const group = groups.get(slot);
      if (group === undefined) groups.set(slot, [channel]);
      else group.push(channel);
    }
    return [...groups.values()];
  }

  /** @returns the channels that failed, and why */
  async #subscribeAll(channels: readonly string[]): Promise<Map<string, unknown>> {
    const failures = new Map<string, unknown>();
    const closes = this.#closes;
    const subscribe = async (group: readonly string[]): Promise<void> => {
      try {
        await this.#subscribe(group);
      } catch (error) {
        const { kind, isTransient } = RedisFailure.from(error);
        // One channel that the user may not subscribe to refuses the whole call: then each is requested by itself.
        if (kind === 'refused' && !isTransient && group.length > 1)
          await Promise.all(
            group.filter((channel) => this.#wantedChannels.has(channel)).map((one) => subscribe([one])),
          );
        else for (const channel of group) failures.set(channel, error);
      }
    };
    await Promise.all(this.#groupsOf(channels).map(subscribe));
    // A connection that has closed meanwhile has taken along what it had acknowledged.
    if (this.#closes !== closes)
      for (const channel of channels)
        failures.set(
          channel,
          failures.get(channel) ?? new RedisFailure('unsent', 'the connection has closed'),
        );
    return failures;
  }

  /** If the connection breaks again meanwhile, `onReady` subscribes once more. A waiter on a forbidden channel polls. */
  async #resubscribe(channels: readonly string[]): Promise<void> {
    const failures = await this.#subscribeAll(channels);
    for (const channel of channels)
      if (this.#wantedChannels.has(channel) && !failures.has(channel)) this.#listener?.resubscribed(channel);
  }

  #unsubscribeAll(channels: readonly string[]): void {
    const unwanted = channels.filter((channel) => !this.#wantedChannels.has(channel));
    // A connection that breaks here, or is away, takes the subscriptions with it.
    if (this.lifecycle.isReady)
      for (const group of this.#groupsOf(unwanted)) void this.#sendUnsubscribe(group);
  }

  async #subscribe(channels: readonly string[]): Promise<void> {
    const { client, isReady } = this.lifecycle;
    // In its handshake a connection still has questions that one with subscriptions may not ask; it subscribes when it is ready.
    if (!isReady) throw new RedisFailure('unsent', 'there is no connection');
    try {
      await this.#withStallGuard(
        this.#isSharded ? client.ssubscribe(...channels) : client.subscribe(...channels),
      );
    } catch (error) {
      this.#retryLater(channels, error);
      throw error;
    }
  }

  async #sendUnsubscribe(channels: readonly string[]): Promise<void> {
    const { client } = this.lifecycle;
    try {
      await this.#withStallGuard(
        this.#isSharded ? client.sunsubscribe(...channels) : client.unsubscribe(...channels),
      );
    } catch (error) {
      this.#retryLater(channels, error);
    }
  }

  /** A transient refusal is repeated; any other one ends with the connection, or stays as it is. */
  #retryLater(channels: readonly string[], error: unknown): void {
    const failure = RedisFailure.from(error);
    if (failure.kind !== 'refused' || !failure.isTransient || failure.code === 'MOVED') return;
    for (const channel of channels) this.#refusedChannels.add(channel);
    this.#retry ??= this.#wheel.after(RETRY_PAUSE, () => this.#subscribeAgain());
  }

  #subscribeAgain(): void {
    this.#retry = undefined;
    const channels = [...this.#refusedChannels];
    this.#refusedChannels.clear();
    if (!this.lifecycle.isReady) return;
    void this.#resubscribe(channels.filter((channel) => this.#wantedChannels.has(channel)));
    this.#unsubscribeAll(channels);
  }

  async #ping(): Promise<void> {
    if (this.lifecycle.isReady)
      await this.#withStallGuard(this.lifecycle.client.ping()).catch(() => undefined);
  }

  async #withStallGuard(reply: Promise<unknown>): Promise<void> {
    this.#stallGuard.expect();
    try {
      await reply;
    } finally {
      this.#stallGuard.progress();
    }
  }
}
