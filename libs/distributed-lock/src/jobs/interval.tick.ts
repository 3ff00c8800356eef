import type { ScheduledTick } from '../metadata/schedule.fires.js';
import type { JobClaims } from './job.claimer.port.js';

/** The largest tolerance, in ms. */
const MOST_TOLERANCE = 500;

/**
 * How much less than the period may have passed since the last start, in ms. A timer that was late last time and is not
 * now comes too early by the difference; refused, the job would rest for a whole period more where one instance is
 * left. A tenth of the period, so that instances whose timers are a moment apart raise the rate by little.
 */
export function toleranceOf(period: number): number {
  return Math.min(period / 10, MOST_TOLERANCE);
}

/** The starts of a job that runs when enough time has passed since its last start, on whichever instance. */
export class IntervalTick implements ScheduledTick {
  /** @param gap the least time between two starts, in ms */
  constructor(
    private readonly claims: JobClaims,
    private readonly gap: number,
  ) {}

  async run(work: Parameters<ScheduledTick['run']>[0]): Promise<unknown> {
    if (!(await this.claims.ready(this.#now))) return undefined;
    const tick = this.#now;
    const answer = await this.claims.ask({
      way: 'alarm',
      mode: 'interval',
      tick,
      following: Math.ceil(this.gap),
    });
    this.claims.checkClocks();
    return answer?.kind === 'granted' ? await answer.run(work) : undefined;
  }

  /** The store's time, in whole epoch ms. */
  get #now(): number {
    return Math.floor(this.claims.clock.nowOrWall);
  }
}
