import type { StoreClock } from '../job-control/store.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { machine } from '../timing/machine.js';

/**
 * Resolves when all alarms that are due in this moment have fired. An instance that claimed earlier would be granted ticks that it cannot
 * begin until then, while another one, whose alarms have fired, could.
 */
export function otherAlarmsHaveFired(): Promise<void> {
  return new Promise((resolve) => void machine.own.setImmediate(resolve));
}

/** The longest sleep before the clocks are compared again, in ms: they drift, and are set. */
export const RECHECK = 60_000;

/** One alarm by the store's clock, for a job whose own alarms come at other moments. Never more than one at a time. */
export class TickWait {
  #target: number | undefined;
  #timer: Timer | undefined;

  /** @param wake receives the awaited instant, at that instant, or earlier to compare the clocks */
  constructor(
    private readonly wheel: TimerWheel,
    private readonly clock: StoreClock,
    private readonly wake: (target: number) => void,
  ) {}

  /** The instant that is awaited. */
  get target(): number | undefined {
    return this.#target;
  }

  /** Waits for `target` (epoch ms by the store's clock), and for no other instant any more. */
  arm(target: number): void {
    if (target === this.#target) return;
    this.cancel();
    this.#target = target;
    const left = target - (this.clock.now() ?? machine.global.Date.now());
    this.#timer = this.wheel.after(Math.min(Math.max(left, 0), RECHECK), () => {
      this.#target = undefined;
      this.wake(target);
    });
  }

  cancel(): void {
    this.wheel.cancel(this.#timer);
    this.#target = undefined;
  }
}
