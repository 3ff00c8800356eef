import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import { WakeSignal } from './wake.signal.js';
import type {
  Attempt,
  LoopOwner,
  Sleeper,
  WakeSource,
  GrantedResult,
  AttemptOutcome,
  AcquireResult,
  AcquireTerms,
} from './acquire.contract.js';
import { YieldPolicy, type Yield } from './yield.policy.js';
import type { LockContext } from '../core/lock.context.js';

/** The sleep after a request that failed, in ms (wire format section 5). */
const AFTER_ERROR = 100;

/** Acquires one lock for the waiters of this process: one request at a time, then sleep until its {@link WakeSource} wakes it. */
export class AcquireLoop<
  Terms = AcquireTerms,
  Result extends GrantedResult = AcquireResult,
> implements Sleeper {
  readonly #wakeSignal: WakeSignal;
  #running = false;
  readonly #yielding = new YieldPolicy();

  constructor(
    private readonly context: Pick<LockContext, 'outside' | 'settings' | 'wheel'>,
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

  /** Whether this process is subscribed to the channel of the lock for it. */
  get isListening(): boolean {
    return this.source.isListening;
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

  /** Called without a waiter: stops the loop, and what wakes it. */
  stopListening(): void {
    if (this.#running) this.#wakeSignal.wake();
    else this.source.stop();
  }

  sleep(delay: number): Promise<void> {
    return this.#wakeSignal.sleep(delay);
  }

  endSleep(): void {
    this.#wakeSignal.wake();
  }

  onMessage(payload: string | undefined): void {
    if (payload !== undefined) this.attempt.onMessage?.(payload);
    this.#yielding.released();
    this.#wakeSignal.wake();
  }

  onTurn(): void {
    this.#yielding.end();
    this.#wakeSignal.wake();
  }

  /** Makes a request for the first waiter, after a pause for others; stops without a waiter. @param hasPaused that waiter may be another one, or none */
  #next(hasPaused = false): void {
    const terms = this.owner.next();
    if (terms === undefined) this.#stop();
    else if (this.#yielding.isYielding && !hasPaused)
      this.#after(this.#yielding.pause(this.#wakeSignal), () => this.#next(true));
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
    this.source.granted?.();
    this.#yielding.end();
    return this.owner.granted(result);
  }

  #refused(outcome: Busy | RedisFailure): Promise<void> {
    this.owner.notGranted(outcome);
    if (outcome instanceof RedisFailure) return this.#waitUntilSettled(outcome);
    return this.source.sleep(outcome, this);
  }

  #stop(): void {
    this.#running = false;
    this.attempt.undo();
    if (!this.owner.hasWaiters) this.stopListening();
    this.owner.end();
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
    if (this.owner.hasWaiters) await this.#wakeSignal.sleep(AFTER_ERROR);
  }
}
