import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Subscription } from '../redis/channel.subscriptions.js';
import { WakeSignal } from './wake.signal.js';
import type {
  Attempt,
  LoopOwner,
  WakeSource,
  GrantedResult,
  AttemptOutcome,
  AcquireResult,
  AcquireTerms,
} from './acquire.contract.js';
import { YieldPolicy, type Yield } from './yield.policy.js';
import type { LockContext } from '../core/lock.context.js';
import { machine } from '../timing/machine.js';

/** Times of sleeps, in ms (wire format section 5). */
const SLEEP = {
  /** At least, with a random part of up to `jitter`: a lease that is over must not cause one request after the other. */
  floor: 10,
  jitter: 40,
  /** Between two requests for a lock without a ttl. */
  withoutTtl: 1000,
  /** After a request that failed. */
  afterError: 100,
  /** Between two requests without a subscription. */
  unsubscribed: 1000,
};

/** How long a channel without other listeners stays subscribed after the last waiter, in ms: sent at once, the unsubscribe would delay a reply that a caller waits for. */
const UNSUBSCRIBE_DELAY = 50;

/** Pauses of a loop without a channel, in ms; they double as those of Redisson's spin lock do. */
const SPIN = { first: 1, longest: 128 };

/** Acquires one lock for the waiters of this process: one request at a time, then sleep until a message or a timeout. */
export class AcquireLoop<Terms = AcquireTerms, Result extends GrantedResult = AcquireResult> {
  readonly #wakeSignal: WakeSignal;
  #subscription: Subscription | undefined;
  #running = false;
  readonly #yielding = new YieldPolicy();
  #spin = SPIN.first;

  constructor(
    private readonly context: Pick<LockContext, 'outside' | 'settings' | 'subscriptions' | 'wheel'>,
    private readonly owner: LoopOwner<Terms, Result>,
    private readonly attempt: Attempt<Terms, Result>,
    private readonly source: WakeSource,
  ) {
    this.#wakeSignal = new WakeSignal(context.wheel);
  }

  /** The number of messages so far. */
  get messages(): number {
    return this.#yielding.messages;
  }

  /** Whether it has a subscription to its channel. */
  get isListening(): boolean {
    return this.#subscription !== undefined;
  }

  /** Starts the loop, or ends its sleep. */
  wake(): void {
    this.#wakeSignal.wake();
    if (this.#running) return;
    this.#running = true;
    this.owner.begin();
    this.context.outside(() => this.#next());
  }

  /** Goes on from the outcome of a request that was made before there was a loop. */
  resume(outcome: AttemptOutcome<Result>): void {
    this.#running = true;
    this.owner.begin();
    this.context.outside(() => this.#onOutcome(outcome));
  }

  /** Starts the loop after a pause for other processes. */
  wakeAfterYield(nextYield: Yield): void {
    this.#yielding.begin(nextYield);
    this.wake();
  }

  /** Called without a waiter: stops the loop, and its subscription. */
  stopListening(): void {
    if (this.#running) {
      this.#wakeSignal.wake();
      return;
    }
    const subscription = this.#subscription;
    this.#subscription = undefined;
    if (subscription === undefined) return;
    if (this.source.hasNoOtherListeners === true)
      this.context.wheel.after(UNSUBSCRIBE_DELAY, () => subscription.release());
    else subscription.release();
  }

  /** Makes a request for the first waiter; stops without one. */
  #next(): void {
    const terms = this.owner.next();
    if (terms === undefined) this.#stop();
    else if (this.#yielding.isYielding)
      this.#after(this.#yielding.pause(this.#wakeSignal), () => this.#request(terms));
    else this.#request(terms);
  }

  #request(terms: Terms): void {
    this.#yielding.requested();
    // A wake before this request is dropped, because the request finds out by itself. A wake during the request ends the next sleep at once.
    this.#wakeSignal.clear();
    this.attempt.request(terms, this.#onOutcome);
  }

  readonly #onOutcome = (outcome: AttemptOutcome<Result>): void => {
    let more: Promise<void> | void;
    try {
      more = outcome.kind === 'granted' ? this.#granted(outcome) : this.#refused(outcome);
    } catch (error) {
      this.#fail(error);
    }
    if (more === undefined) this.#next();
    else this.#after(more, () => this.#next());
  };

  #after(pause: Promise<void>, step: () => void): void {
    void pause.then(step, (error: unknown) => this.#fail(error));
  }

  /** A failed loop must not keep its local lock. */
  #fail(error: unknown): never {
    this.owner.end();
    throw error;
  }

  #granted(result: Result): Promise<void> | void {
    this.#spin = SPIN.first;
    this.#yielding.end();
    return this.owner.granted(result);
  }

  #refused(outcome: Busy | RedisFailure): Promise<void> {
    this.owner.notGranted(outcome);
    if (outcome instanceof RedisFailure) return this.#waitUntilSettled(outcome);
    return this.source.channel === undefined
      ? this.#pause(outcome.ttl)
      : this.#sleep(outcome.ttl, this.source.channel);
  }

  #stop(): void {
    this.#running = false;
    this.attempt.undo();
    if (!this.owner.hasWaiters) this.stopListening();
    this.owner.end();
  }

  /** The first time it subscribes, and the acknowledgement wakes it: the release may have come before the subscription. */
  async #sleep(ttl: number, channel: string): Promise<void> {
    if (this.#subscription === undefined) {
      const wake = () => this.#wakeSignal.wake();
      // When the channel is lost, the loop wakes to poll.
      this.#subscription = this.context.subscriptions.subscribe(
        channel,
        (payload) => this.#onMessage(payload),
        wake,
      );
      void this.#subscription.acknowledged.then(wake);
    }
    const floor = SLEEP.floor + machine.global.Math.random() * SLEEP.jitter;
    const bound = ttl < 0 ? SLEEP.withoutTtl : Math.max(ttl, floor);
    // Without a subscription no message wakes the loop: Redis has refused it, or has not acknowledged it yet.
    const cap = this.#subscription.isActive ? this.source.longestSleep : SLEEP.unsubscribed;
    await this.#wakeSignal.sleep(Math.min(bound, cap));
  }

  /** Jittered, so that the waiters of several processes do not send requests at the same moment. */
  async #pause(ttl: number): Promise<void> {
    const pause = this.#spin * (0.75 + 0.5 * machine.global.Math.random());
    await this.#wakeSignal.sleep(ttl > 0 ? Math.min(pause, ttl + 1) : pause);
    this.#spin = Math.min(this.#spin * 2, SPIN.longest);
  }

  /** Never more than one attempt under way: the next one waits until the last one cannot run any more. */
  async #waitUntilSettled(failure: RedisFailure): Promise<void> {
    if (!failure.isTransient) return;
    const command = { settled: false };
    void failure.settled.then(() => {
      command.settled = true;
      this.#wakeSignal.wake();
    });
    while (!command.settled && this.owner.hasWaiters)
      await this.#wakeSignal.sleep(this.context.settings.watchdogTimeout);
    if (this.owner.hasWaiters) await this.#wakeSignal.sleep(SLEEP.afterError);
  }

  #onMessage(payload: string | undefined): void {
    if (payload !== undefined && !this.source.wakes(payload)) return;
    if (payload !== undefined) this.attempt.onMessage?.(payload);
    this.#yielding.released();
    this.#wakeSignal.wake();
  }
}
