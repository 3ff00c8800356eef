import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/**
 * Notices a connection that takes commands and gives nothing back: a stopped server, a black hole behind a firewall.
 * TCP alone would find out after minutes.
 */
export class StallGuard {
  #expected = 0;
  #progress = 0;
  #timer: Timer | undefined;

  constructor(
    private readonly wheel: TimerWheel,
    /** Silence in ms, with something expected, that counts as a stall. */
    private readonly silence: number,
    private readonly stalled: () => void,
  ) {}

  /** Something was sent. */
  expect(): void {
    if (this.#expected === 0) this.#progress = now();
    this.#expected += 1;
    this.#timer ??= this.wheel.after(this.silence, () => this.#check());
  }

  /** Something came back, if only an error. */
  progress(): void {
    this.#expected -= 1;
    this.#progress = now();
    if (this.#expected === 0) this.#rest();
  }

  /** After a stall of our own event loop the reply may have come already, and only wants to be read. */
  #check(): void {
    this.#timer = undefined;
    setImmediate(() => this.#decide());
  }

  #decide(): void {
    // All may have come back meanwhile, and something else may have been sent since, which has a timer of its own.
    if (this.#expected === 0 || this.#timer !== undefined) return;
    const quiet = now() - this.#progress;
    const stalled = quiet >= this.silence;
    this.#timer = this.wheel.after(stalled ? this.silence : this.silence - quiet, () => this.#check());
    if (stalled) this.stalled();
  }

  #rest(): void {
    this.wheel.cancel(this.#timer);
    this.#timer = undefined;
  }
}
