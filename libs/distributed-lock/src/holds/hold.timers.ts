import { overheld, type LossReason } from '../errors/loss.reasons.js';
import type { HoldNotice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** A hold that may last long. */
export interface TimedHold {
  post(notice: HoldNotice): void;
  /** Ends the belief in it. */
  lose(reason: LossReason): void;
}

/** When a hold has lasted too long, in ms from its begin; Infinity for never. */
export interface HoldLimits {
  readonly warnAfter: number;
  readonly maxHold: number;
}

/** The alarms of one hold, where there are any. */
export class HoldTimers {
  readonly #timers: Timer[] = [];

  constructor(
    private readonly wheel: TimerWheel,
    private readonly limits: HoldLimits,
    private readonly hold: TimedHold,
  ) {
    this.begin();
  }

  /** Counts from now on. */
  begin(): void {
    this.cancel();
    const { hold, wheel } = this;
    const { warnAfter, maxHold } = this.limits;
    const start = now();
    const warn = () => hold.post({ kind: 'long-hold', held: now() - start });
    const end = () => {
      hold.post({ kind: 'overheld', maxHold });
      hold.lose(overheld(maxHold));
    };
    if (warnAfter !== Infinity) this.#timers.push(wheel.at(start + warnAfter, warn));
    if (maxHold !== Infinity) this.#timers.push(wheel.at(start + maxHold, end));
  }

  cancel(): void {
    for (const timer of this.#timers.splice(0)) this.wheel.cancel(timer);
  }
}
