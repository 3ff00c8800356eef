import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import type { ClientLifecycle } from './client.lifecycle.js';
import { RedisFailure } from './redis.failure.js';
import { StallGuard } from './stall.guard.js';

/** How often a connection that listens is asked whether it is still there, in ms: a wire that died in silence tells nothing. */
const HEARTBEAT = 15_000;

/** The one connection that listens, however many channels. */
export class SubscriberConnection {
  readonly #wanted = new Set<string>();
  readonly #guard: StallGuard;
  #heartbeat: Timer | undefined;
  #onMessage: (channel: string, payload: string) => void = () => undefined;
  #onRestored: (channel: string) => void = () => undefined;

  constructor(
    readonly lifecycle: ClientLifecycle,
    private readonly wheel: TimerWheel,
    silence: number,
    stalled: () => void,
  ) {
    this.#guard = new StallGuard(wheel, silence, stalled);
    lifecycle.client.on('message', (channel, payload) => this.#onMessage(channel ?? '', payload ?? ''));
    lifecycle.onReady(() => void this.#restore());
  }

  /** Sets the receiver of messages, and of the news that a channel was subscribed anew, so that messages may have been missed. */
  listen(onMessage: (channel: string, payload: string) => void, onRestored: (channel: string) => void): void {
    this.#onMessage = onMessage;
    this.#onRestored = onRestored;
  }

  /**
   * Resolves when Redis has acknowledged the subscription. While the connection is away it rejects, and the
   * subscription is made, and told through `onRestored`, once it is back.
   */
  async subscribe(channel: string): Promise<void> {
    this.lifecycle.start();
    this.#wanted.add(channel);
    this.#heartbeat ??= this.wheel.after(HEARTBEAT, () => void this.#beat());
    await this.#guarded(this.lifecycle.client.subscribe(channel));
  }

  unsubscribe(channel: string): void {
    if (!this.#wanted.delete(channel)) return;
    if (this.#wanted.size === 0) this.#rest();
    // A connection that breaks here, or is away, takes the subscription with it.
    if (this.lifecycle.isReady)
      this.#guarded(this.lifecycle.client.unsubscribe(channel)).catch(() => undefined);
  }

  async #restore(): Promise<void> {
    const channels = [...this.#wanted];
    if (channels.length === 0) return;
    const failure = await this.#ask(channels);
    // One channel that the user may not subscribe to refuses all of a call: then each one is asked for by itself.
    if (failure?.kind !== 'refused') return;
    await Promise.all(channels.map((channel) => this.#ask([channel])));
  }

  async #ask(channels: readonly string[]): Promise<RedisFailure | undefined> {
    try {
      await this.#guarded(this.lifecycle.client.subscribe(...channels));
      for (const channel of channels) this.#onRestored(channel);
      return undefined;
    } catch (error) {
      // A connection that broke again comes back here when it is ready. A waiter on a forbidden channel polls.
      return RedisFailure.from(error);
    }
  }

  async #beat(): Promise<void> {
    this.#heartbeat = this.wheel.after(HEARTBEAT, () => void this.#beat());
    if (this.lifecycle.isReady) await this.#guarded(this.lifecycle.client.ping()).catch(() => undefined);
  }

  #rest(): void {
    this.wheel.cancel(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  async #guarded(reply: Promise<unknown>): Promise<void> {
    this.#guard.expect();
    try {
      await reply;
    } finally {
      this.#guard.progress();
    }
  }
}
