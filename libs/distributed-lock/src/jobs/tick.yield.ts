import type { JobClaims } from './job.claimer.port.js';

/** How long the instance that ran the last tick of a job lets the others claim first, in ms. */
const LONGEST = 8;

/** How much less it is with each tick that another instance ran, in ms: the instance that ran longest ago claims first. */
const STEP = 2;

/** An instance that ran so many ticks in a row is probably the only one with the job: a pause would make its ticks late for nothing. */
const TRIES = 3;

/** Of so many ticks in a row it waits again at the first ones: other instances may have started. */
const PROBE = 16;

/**
 * Spreads the ticks of a job over the instances: their alarms fire at the same instant, and without a pause the instance whose clock is
 * ahead by a millisecond would run nearly all of them.
 */
export class TickYield {
  #pause = 0;
  #tick: number | undefined;
  #hasRun = false;
  /** Ticks that this instance ran one after the other. */
  #row = 0;

  constructor(private readonly claims: Pick<JobClaims, 'hasOthers' | 'wheel'>) {}

  /** Resolves when a tick may be claimed: at once on an instance that ran none of the last ticks, and on one that is alone. */
  async pass(tick: number): Promise<void> {
    if (tick === this.#tick) return;
    this.#tick = tick;
    if (!this.#hasRun) this.#row = 0;
    this.#hasRun = false;
    const pause = this.#pause;
    this.#pause = Math.max(0, pause - STEP);
    if (pause > 0 && this.claims.hasOthers) await this.claims.wheel.pause(pause);
  }

  /** This instance runs a tick. */
  ran(): void {
    this.#hasRun = true;
    this.#row += 1;
    this.#pause = this.#row % PROBE < TRIES ? LONGEST : 0;
  }
}
