import type { LockContext } from '../core/lock.context.js';
import type { Listener, Subscription } from '../redis/channel.subscriptions.js';
import type { Busy } from '../replies/lock.replies.js';
import { machine } from '../timing/machine.js';
import type { Sleeper, WakeSource } from './acquire.contract.js';

/** Times of sleeps, in ms (wire format section 5). */
const SLEEP = {
  /** At least, with a random part of up to `jitter`: a lease that is over must not cause one request after the other. */
  floor: 10,
  jitter: 40,
  /** Between two requests for a lock without a ttl. */
  withoutTtl: 1000,
};

/** Between two requests at most while the channel is not subscribed, in ms. */
export const UNSUBSCRIBED_SLEEP = 1000;

/** How long a channel without other listeners stays subscribed after the last waiter, in ms: sent at once, the unsubscribe would delay a reply that a caller waits for. */
const UNSUBSCRIBE_DELAY = 50;

/** The channel that wakes a loop. */
export interface WakeChannel {
  readonly name: string;
  /** In ms. */
  readonly longestSleep: number;
  /** Whether a payload is a reason for a request. */
  readonly wakes: (payload: string) => boolean;
  /** Whether only this loop listens to the channel: a late unsubscribe then changes no count of receivers that a release uses. @default false */
  readonly hasNoOtherListeners?: boolean;
  /** A channel that is subscribed as well: a process that does so is counted. Nothing arrives on it. */
  readonly counted?: string | undefined;
  /** Where it was subscribed before the first request: no message after that request is missed. */
  readonly reserved?: ReservedChannel | undefined;
}

/** A channel that was subscribed in advance, and ends with its waiter. */
export interface ReservedChannel {
  /** Whether its messages arrive. */
  readonly isActive: boolean;
  /** Passes on all messages since the first request of its waiter, also those before this call; undefined where some may have been missed. */
  listen(listener: Listener): void;
}

/** Wakes a loop by the messages of a channel, which it subscribes when the loop sleeps for the first time. */
export class ChannelWakeSource implements WakeSource {
  #subscription: Subscription | undefined;
  #counted: Subscription | undefined;
  #reserved: ReservedChannel | undefined;

  constructor(
    private readonly context: Pick<LockContext, 'subscriptions' | 'wheel'>,
    private readonly channel: WakeChannel,
  ) {}

  get isListening(): boolean {
    return this.#subscription !== undefined || this.#reserved !== undefined;
  }

  async sleep({ ttl }: Busy, sleeper: Sleeper): Promise<void> {
    const subscription = this.#reserved ?? this.#subscription ?? this.#listen(sleeper);
    const isActive = subscription.isActive && this.#counted?.isActive !== false;
    const floor = SLEEP.floor + machine.global.Math.random() * SLEEP.jitter;
    const bound = ttl < 0 ? SLEEP.withoutTtl : Math.max(ttl, floor);
    // Without a subscription no message wakes the loop: Redis has refused it, or has not acknowledged it yet.
    const cap = isActive ? this.channel.longestSleep : UNSUBSCRIBED_SLEEP;
    await sleeper.sleep(Math.min(bound, cap));
  }

  stop(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    this.#reserved = undefined;
    this.#counted?.release();
    this.#counted = undefined;
    if (subscription === undefined) return;
    if (this.channel.hasNoOtherListeners === true)
      this.context.wheel.after(UNSUBSCRIBE_DELAY, () => subscription.release());
    else subscription.release();
  }

  #listen(sleeper: Sleeper): Pick<Subscription, 'isActive'> {
    const { name, wakes, counted, reserved } = this.channel;
    const wake = () => sleeper.endSleep();
    const onMessage = (payload: string | undefined) => {
      if (payload === undefined || wakes(payload)) sleeper.onMessage(payload);
    };
    if (reserved !== undefined) {
      this.#reserved = reserved;
      reserved.listen(onMessage);
      return reserved;
    }
    const { subscriptions } = this.context;
    if (counted !== undefined) this.#counted = subscriptions.subscribe(counted, onMessage, wake);
    // When the channel is lost, the loop wakes to poll.
    this.#subscription = subscriptions.subscribe(name, onMessage, wake);
    // The release may have come before the subscription.
    void Promise.all([this.#subscription.acknowledged, this.#counted?.acknowledged]).then(wake);
    return this.#subscription;
  }
}
