import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** What a hold does when time passes. */
export interface HoldAlarms {
  /** A deadline may have been reached. */
  check(): void;
  /** It has lasted longer than `warnAfter`. */
  warn(held: number): void;
  /** It has lasted longer than `maxHold`. */
  end(): void;
}

/** The alarms of one hold. A renewal moves a deadline without touching its timer: the timer looks again when it fires. */
export class HoldTimers {
  #deadline: Timer | undefined;
  #armedFor = Infinity;
  #over = false;
  readonly #warning: Timer | undefined;
  readonly #end: Timer | undefined;

  constructor(
    private readonly wheel: TimerWheel,
    warnAfter: number,
    maxHold: number,
    private readonly alarms: HoldAlarms,
  ) {
    const start = now();
    if (warnAfter !== Infinity) this.#warning = wheel.at(start + warnAfter, () => alarms.warn(now() - start));
    if (maxHold !== Infinity) this.#end = wheel.at(start + maxHold, () => alarms.end());
  }

  /** Sees to it that `check` is called at `deadline`, or earlier. */
  arm(deadline: number): void {
    if (this.#over || deadline >= this.#armedFor) return;
    this.wheel.cancel(this.#deadline);
    this.#armedFor = deadline;
    this.#deadline = this.wheel.at(deadline, () => {
      this.#armedFor = Infinity;
      this.alarms.check();
    });
  }

  /** For good: an operation of the hold may come back later than its end. */
  cancel(): void {
    this.#over = true;
    this.wheel.cancel(this.#deadline);
    this.wheel.cancel(this.#warning);
    this.wheel.cancel(this.#end);
  }
}
