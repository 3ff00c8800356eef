import type { JobClaims } from './job.claimer.port.js';
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

/**
 * An alarm that comes up to this much (ms) before its instant, by the store's clock, waits for it: clocks that are kept by NTP are some
 * milliseconds apart. Less than the shortest period, so that no two alarms of a job wait.
 */
const SOON = 500;

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
    const left = target - this.clock.nowOrWall;
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

/** The wait of an alarm that comes early, inside its own call: that call is the run, with its arguments and its result. */
export class AlarmWait {
  #target: number | undefined;
  #timer: Timer | undefined;
  #end: (() => void) | undefined;

  constructor(private readonly claims: Pick<JobClaims, 'clock' | 'wheel'>) {}

  /** The instant that an alarm waits for. */
  get target(): number | undefined {
    return this.#target;
  }

  /**
   * Resolves when the instant of an alarm has come by the store's clock, or lies further ahead than {@link SOON}, or the wait was cancelled.
   * @returns false if it was cancelled: the schedule may be another one then
   */
  async until(instant: number | undefined): Promise<boolean> {
    if (instant === undefined) return true;
    this.#target = instant;
    while (this.#target === instant) {
      const left = instant - this.claims.clock.nowOrWall;
      if (left <= 0 || left > SOON) {
        this.#target = undefined;
        return true;
      }
      await new Promise<void>((resolve) => {
        this.#end = resolve;
        this.#timer = this.claims.wheel.after(left, resolve);
      });
    }
    return false;
  }

  cancel(): void {
    this.claims.wheel.cancel(this.#timer);
    this.#target = undefined;
    this.#end?.();
  }
}
