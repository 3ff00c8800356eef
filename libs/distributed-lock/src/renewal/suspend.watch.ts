import { now, wallOffset } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** How often the clocks are compared, in ms: on the clock that stands still in a suspend. */
const PERIOD = 1000;

/** By how much the wall clock may get ahead in that time without a suspend, in ms. */
const TOLERATED = 20;

/**
 * Notices that the machine was suspended: its monotonic clock has stood still, and with it the timers that end a hold, while Redis went on
 * counting. Compares the clocks for as long as leases are watched.
 */
export class SuspendWatch {
  readonly #timer: Timer;
  #offset = 0;
  /** Whether holds are in doubt since a suspend: Redis may not have answered yet. */
  #isInDoubt = false;

  /**
   * @param isNeeded whether leases are watched
   * @param verify makes requests for the holds that are in doubt. @returns whether there are any
   */
  constructor(
    private readonly wheel: TimerWheel,
    private readonly isNeeded: () => boolean,
    private readonly verify: () => boolean,
  ) {
    this.#timer = wheel.background(() => this.#compare());
  }

  /** Leases are watched from now on, until none is left. */
  begin(): void {
    this.#offset = wallOffset();
    this.#setAgain();
  }

  #compare(): void {
    const offset = wallOffset();
    const isAhead = offset - this.#offset > TOLERATED;
    this.#offset = offset;
    if (isAhead || this.#isInDoubt) this.#isInDoubt = this.verify();
    if (this.isNeeded()) this.#setAgain();
  }

  #setAgain(): void {
    this.wheel.set(this.#timer, now() + PERIOD);
  }
}
