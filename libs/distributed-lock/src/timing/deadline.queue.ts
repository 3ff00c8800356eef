import { append, ring, unlink, type RingMember } from './ring.js';
import { now } from './monotonic.clock.js';
import type { Timer, TimerWheel } from './timer.wheel.js';

/** A bound in time, of a request that waits for its reply. */
export abstract class Deadline {
  /** @internal */
  next: RingMember = this;
  /** @internal */
  previous: RingMember = this;
  /** @internal The monotonic instant at which it is over. */
  at = 0;

  abstract expire(): void;
}

/**
 * Deadlines of one length. They come due in the order in which they begin, so that one timer serves all of them.
 */
export class DeadlineQueue {
  readonly #open = ring();
  #size = 0;
  readonly #timer: Timer;

  constructor(
    private readonly wheel: TimerWheel,
    /** In ms. */
    private readonly length: number,
  ) {
    this.#timer = wheel.background(() => this.#check());
  }

  /** Whether no deadline is open. */
  get isIdle(): boolean {
    return this.#size === 0;
  }

  /** Starts a deadline. @param from the monotonic clock, read a moment ago */
  begin(deadline: Deadline, from = now()): void {
    deadline.at = from + this.length;
    if (this.#size === 0) this.wheel.hold();
    this.#size += 1;
    append(deadline, this.#open);
    if (!this.#timer.isSet) this.wheel.set(this.#timer, deadline.at);
  }

  /** Ends a deadline before its time. */
  end(deadline: Deadline): void {
    if (deadline.next === deadline) return;
    unlink(deadline);
    this.#size -= 1;
    if (this.#size === 0) this.wheel.letGo();
  }

  /** The timer is left to run out when a deadline ends before its time, as nearly all do. */
  #check(): void {
    const reached = now();
    for (let first = this.#open.next; first instanceof Deadline; first = this.#open.next) {
      if (first.at > reached) {
        this.wheel.set(this.#timer, first.at);
        return;
      }
      this.end(first);
      first.expire();
    }
  }
}
