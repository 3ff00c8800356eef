import type { JobClaims } from './job.claimer.port.js';

/** How long the instance that ran the last tick of a job lets the others claim first, in ms. */
const LONGEST = 8;

/** How much less it is with each tick that another instance ran, in ms: the instance that ran longest ago claims first. */
const STEP = 2;

/**
 * Spreads the ticks of a job over the instances: their alarms fire at the same instant, and without a pause the instance whose clock is
 * ahead by a millisecond would run nearly all of them.
 */
export class TickYield {
  #pause = 0;
  #tick: number | undefined;

  constructor(private readonly claims: Pick<JobClaims, 'hasOthers' | 'wheel'>) {}

  /** Resolves when a tick may be claimed: at once on an instance that ran none of the last ticks, and on one that is alone. */
  async pass(tick: number): Promise<void> {
    if (tick === this.#tick) return;
    this.#tick = tick;
    const pause = this.#pause;
    this.#pause = Math.max(0, pause - STEP);
    if (pause > 0 && this.claims.hasOthers) await this.claims.wheel.pause(pause);
  }

  /** This instance runs a tick. */
  ran(): void {
    this.#pause = LONGEST;
  }
}
