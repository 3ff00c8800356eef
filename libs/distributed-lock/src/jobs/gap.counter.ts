import type { ScheduleInstants } from '../instants/schedule.instants.js';
import type { TickClaim } from '../ticks/tick.claim.js';

/** The instants behind a mark. */
interface CountedGap {
  readonly from: number;
  readonly fingerprint: string;
  readonly upTo: number;
  /** Undefined for a gap that cannot be counted. */
  readonly count: number | undefined;
}

/** Counts the instants of a schedule that no instance has claimed. */
export class GapCounter {
  /** The last gap that was counted. */
  #gap: CountedGap | undefined;

  /**
   * @param from the newest tick that has a verdict, epoch ms; 0 where none is known
   * @param previous the instant up to which is counted
   */
  count(from: number, previous: number | undefined, instants: ScheduleInstants): TickClaim['gap'] {
    if (previous === undefined || from === 0 || from >= previous) return undefined;
    const { fingerprint } = instants;
    const known = this.#gap;
    // While Redis is away, each alarm asks for the same gap, and a few instants more.
    const before =
      known?.from === from && known.fingerprint === fingerprint && known.upTo <= previous
        ? known
        : { from, fingerprint, upTo: from, count: 0 };
    const more = before.count === undefined ? undefined : instants.count(before.upTo, previous);
    const count = before.count === undefined || more === undefined ? undefined : before.count + more;
    this.#gap = { from, fingerprint, upTo: previous, count };
    return count === undefined || count === 0 ? undefined : { from, count };
  }
}
