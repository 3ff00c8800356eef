import { now } from '../timing/monotonic.clock.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';

/** How many checks a local lock gets within the time after which its waiters may wait for themselves. */
const CHECKS = 4;

/** The most stacks that are taken in a second: one costs some 10 µs, as much as many a wait lasts. */
const STACKS = 50;

/** Callers that may wait for a lock that their own process holds and does not unlock. */
export interface SelfWaitSubject {
  /** The number of callers. */
  readonly size: number;
  /** Logs a caller that has waited for `delay` ms behind a handle that this process has had for as long. */
  warnOfSelfWait(delay: number): void;
}

/**
 * Finds callers that probably wait for themselves: `lock()`, and then `using()` of the same name. One timer for all locks, in the
 * background, and only while a caller waits without a time limit: a waiter costs nothing more.
 */
export class SelfWaitWatch {
  readonly #timer: Timer;
  #second = -Infinity;
  #stacks = 0;

  constructor(
    private readonly wheel: TimerWheel,
    /** In ms; Infinity for never. */
    private readonly delay: number,
    private readonly subjects: () => readonly SelfWaitSubject[],
  ) {
    this.#timer = wheel.background(() => this.#check());
  }

  get isOn(): boolean {
    return this.delay !== Infinity;
  }

  /** A caller waits without a time limit. */
  begin(): void {
    if (this.isOn && !this.#timer.isSet) this.wheel.set(this.#timer, now() + this.delay / CHECKS);
  }

  /** Whether a stack may be taken of a call that began to wait at `at`: where calls wait all the time, few have one. */
  affordsStack(at: number): boolean {
    if (at - this.#second >= 1000) {
      this.#second = at;
      this.#stacks = 0;
    }
    this.#stacks += 1;
    return this.#stacks <= STACKS;
  }

  #check(): void {
    const waitedFor = this.subjects().filter(({ size }) => size > 0);
    for (const subject of waitedFor) subject.warnOfSelfWait(this.delay);
    if (waitedFor.length > 0) this.begin();
  }
}
