import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/**
 * Notices a connection that takes commands and gives nothing back: a stopped server, a black hole behind a firewall.
 * TCP alone would find out after minutes.
 */
export class StallGuard {
  readonly #timer: Timer;
  #expected = 0;
  #progress = 0;

  constructor(
    private readonly wheel: TimerWheel,
    /** Silence in ms, with something expected, that counts as a stall. */
    private readonly silence: number,
    private readonly stalled: () => void,
  ) {
    // After a stall of our own event loop the reply may have come already, and only wants to be read.
    this.#timer = wheel.background(() => setImmediate(() => this.#check()));
  }

  /** Something was sent. */
  expect(): void {
    if (this.#expected === 0) {
      this.#progress = now();
      this.wheel.hold();
    }
    this.#expected += 1;
    if (!this.#timer.isSet) this.wheel.set(this.#timer, this.#progress + this.silence);
  }

  /** Something came back, if only an error. */
  progress(): void {
    this.#expected -= 1;
    // With nothing expected, what is sent next begins a silence of its own.
    if (this.#expected > 0) this.#progress = now();
    else this.wheel.letGo();
  }

  /** The timer looks again when what it was set for has come in time, as nearly all does. */
  #check(): void {
    if (this.#expected === 0) return;
    const quiet = now() - this.#progress;
    const stalled = quiet >= this.silence;
    this.wheel.set(this.#timer, now() + (stalled ? this.silence : this.silence - quiet));
    if (stalled) this.stalled();
  }
}
