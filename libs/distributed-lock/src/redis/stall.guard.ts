import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { machine } from '../timing/machine.js';

/**
 * Detects a connection that takes commands and returns nothing: a stopped server, a black hole behind a firewall.
 * TCP alone would detect that after minutes.
 */
export class StallGuard {
  readonly #timer: Timer;
  #expected = 0;
  #progress = 0;

  constructor(
    private readonly wheel: TimerWheel,
    /** After how many ms without an answer that is expected the connection counts as stalled. */
    private readonly stallTimeout: number,
    private readonly stalled: () => void,
  ) {
    // After a stall of our own event loop the reply may have arrived already, unread.
    this.#timer = wheel.background(() => machine.global.setImmediate(() => this.#check()));
  }

  /** To be called after a command was sent. */
  expect(): void {
    if (this.#expected === 0) {
      this.#progress = now();
      this.wheel.hold();
    }
    this.#expected += 1;
    if (!this.#timer.isSet) this.wheel.set(this.#timer, this.#progress + this.stallTimeout);
  }

  /** To be called for each answer, also for an error. */
  progress(): void {
    this.#expected -= 1;
    // With no answer expected, the next command begins a silence of its own.
    if (this.#expected > 0) this.#progress = now();
    else this.wheel.letGo();
  }

  /** Sets the timer again, also when the answer that it was set for has come in time, as nearly all do. */
  #check(): void {
    if (this.#expected === 0) return;
    const quiet = now() - this.#progress;
    const stalled = quiet >= this.stallTimeout;
    this.wheel.set(this.#timer, now() + (stalled ? this.stallTimeout : this.stallTimeout - quiet));
    if (stalled) this.stalled();
  }
}
