import type { AcquireTerms } from '../acquire/acquire.contract.js';
import { toCaller } from '../errors/caller.stack.js';
import type { HeldBy } from '../errors/lock.errors.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { onAbort } from './abort.listener.js';
import { machine } from '../timing/machine.js';

/** Is called when a caller has to wait. */
export interface WaitWatch {
  /** Another holder has the lock. */
  waiting(heldBy: HeldBy): void;
}

/** The request of a caller: its terms, and what else ends its wait. */
export interface WaitRequest extends AcquireTerms {
  readonly signal: AbortSignal | undefined;
  /** Whether the caller runs inside a lock that it holds: shutdown lets it go on. */
  readonly nested: boolean;
  /** Undefined without a listener. */
  readonly watch?: WaitWatch | undefined;
}

/** The owner of the queue that a waiter is in. */
export interface WaiterOwner<Grant, Request extends WaitRequest> {
  /** It leaves without a grant. */
  quit(waiter: Waiter<Grant, Request>): void;
  /** Why it got nothing in its time. */
  timeoutError(waiter: Waiter<Grant, Request>): Error;
  /** How long the waiter stays after its time, in ms, because Redis has not answered yet; 0 refuses it. */
  gracePeriodOf?(waiter: Waiter<Grant, Request>): number;
  /** It has waited for long. */
  warn(waiter: Waiter<Grant, Request>): void;
}

/** A caller that waits for a lock. Its own timer and signal end the wait, whatever Redis does. */
export class Waiter<Grant, Request extends WaitRequest = WaitRequest> {
  next: Waiter<Grant, Request> | undefined = undefined;
  previous: Waiter<Grant, Request> | undefined = undefined;
  readonly outcome: Promise<Grant>;
  readonly since = now();
  #resolve!: (outcome: Grant | Promise<never>) => void;
  #reject!: (reason: unknown) => void;
  readonly #unlisten: (() => void) | undefined;
  #timer: Timer | undefined;
  #warning: Timer | undefined;
  #done = false;
  /** Whether its time is over, and it only waits for the answer of Redis. */
  isOverdue = false;

  constructor(
    readonly request: Request,
    private readonly wheel: TimerWheel,
    private readonly owner: WaiterOwner<Grant, Request>,
  ) {
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { waitTime, signal } = request;
    if (waitTime > 0 && waitTime !== Infinity) this.#timer = wheel.after(waitTime, () => this.#expire());
    if (signal !== undefined)
      this.#unlisten = onAbort(signal, () => this.#leave(() => this.#reject(signal.reason)));
  }

  /** Granted, refused or gone. */
  get isDone(): boolean {
    return this.#done;
  }

  /** How long it has waited, in ms. */
  get waited(): number {
    return now() - this.since;
  }

  /** Warns once if the wait lasts longer than `delay` ms. */
  warnAfter(delay: number): void {
    if (delay !== Infinity) this.#warning = this.wheel.at(this.since + delay, () => this.owner.warn(this));
  }

  /** @returns false when the waiter has left: then the grant is still to be released */
  resolve(outcome: Grant): boolean {
    if (!this.#end()) return false;
    this.#resolve(outcome);
    return true;
  }

  refuse(error: Error): void {
    this.#leave(() => this.#resolve(toCaller(error)));
  }

  #leave(settle: () => void): void {
    if (!this.#end()) return;
    this.owner.quit(this);
    settle();
  }

  /** After a stall of the event loop the grant may be in the socket already: one turn lets it be read before the wait is refused. */
  #expire(): void {
    machine.global.setImmediate(() => {
      if (this.#done) return;
      const stays = this.isOverdue ? 0 : (this.owner.gracePeriodOf?.(this) ?? 0);
      this.isOverdue = true;
      if (stays > 0) this.#timer = this.wheel.after(stays, () => this.#expire());
      else this.refuse(this.owner.timeoutError(this));
    });
  }

  #end(): boolean {
    if (this.#done) return false;
    this.#done = true;
    if (this.#timer !== undefined) this.wheel.cancel(this.#timer);
    if (this.#warning !== undefined) this.wheel.cancel(this.#warning);
    this.#unlisten?.();
    return true;
  }
}
