import { Logger } from '@nestjs/common';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { JobClaims } from './job.claimer.port.js';

/** Before an attempt, in ms: doubled after each one, up to the longest. */
const CATCH_UP_PAUSE = { first: 1000, longest: 30_000 };

/**
 * Catches up with a tick whose claim Redis refused or did not answer for too long. No connection may come back to say that Redis serves
 * again: one that is full refuses claims on a live one.
 */
export class CatchUpTimer {
  readonly #timer: Timer;
  #pause = CATCH_UP_PAUSE.first;
  /** Whether the job was stopped in a pause. */
  #isHeldUp = false;

  constructor(
    private readonly claims: JobClaims,
    private readonly catchUp: () => Promise<void>,
    /** The age that a tick may have, in ms: several attempts are made within it. */
    private readonly longestTickAge: number,
  ) {
    this.#timer = claims.wheel.background(() => this.#onTime());
  }

  /** A claim has failed: tries once more in a while. */
  set(): void {
    if (this.claims.isClosed || this.#timer.isSet) return;
    const pause = this.#pause * (1 + machine.global.Math.random() / 4);
    const longest = Math.max(
      Math.min(this.longestTickAge / 10, CATCH_UP_PAUSE.longest),
      CATCH_UP_PAUSE.first,
    );
    this.#pause = Math.min(this.#pause * 2, longest);
    this.claims.wheel.set(this.#timer, now() + pause);
  }

  /** A claim was answered. */
  answered(): void {
    this.#pause = CATCH_UP_PAUSE.first;
  }

  stop(): void {
    this.#isHeldUp ||= this.#timer.isSet;
    this.claims.wheel.cancel(this.#timer);
  }

  resume(): void {
    if (this.#isHeldUp) this.set();
    this.#isHeldUp = false;
  }

  #onTime(): void {
    // A job that is registered later catches up by that.
    const catchUp = async () => (await this.claims.ready()) && (await this.catchUp());
    if (!this.claims.isClosed) logged(catchUp());
  }
}

/** No scheduler waits for this run: its error is logged as the scheduler logs it. */
export function logged(run: Promise<unknown>): void {
  run.catch((error: unknown) => new Logger('Scheduler').error(error));
}
