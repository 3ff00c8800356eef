import { Logger } from '@nestjs/common';
import { machine } from '../timing/machine.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { JobClaims } from './job.claimer.port.js';

/** Between two attempts, in ms: at least, and with a random part. */
const PAUSE = { least: 2000, jitter: 1000 };

/**
 * Catches up with a tick whose claim Redis refused or did not answer for too long. No connection may come back to say that Redis serves
 * again: one that is full refuses claims on a live one.
 */
export class CatchUpTimer {
  readonly #timer: Timer;

  constructor(
    private readonly claims: JobClaims,
    private readonly catchUp: () => Promise<void>,
  ) {
    this.#timer = claims.wheel.background(() => this.#onTime());
  }

  /** Tries once more in a while. */
  set(): void {
    const pause = PAUSE.least + machine.global.Math.random() * PAUSE.jitter;
    if (!this.claims.isClosed) this.claims.wheel.set(this.#timer, now() + pause);
  }

  cancel(): void {
    this.claims.wheel.cancel(this.#timer);
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
