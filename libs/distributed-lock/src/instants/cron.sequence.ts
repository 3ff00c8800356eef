import { isImpossibleDate } from './impossible.date.js';
import { zoneOffset, type OffsetChange, type ZoneOffset } from './zone.offset.js';

const SECOND = 1000;
const DAY = 24 * 3_600_000;
/** Answers that are kept: the jobs that share a sequence request the same instants within a tick or two. */
const REMEMBERED = 64;

/** The used part of cron's `CronTime`; structural, so that no second copy of cron is loaded. */
export interface CronTimeLike {
  /** The expression, or the luxon date of a job that fires once. */
  readonly source: string | { toMillis(): number };
  /** As luxon takes it. cron itself puts the system's zone here when none was given. */
  readonly timeZone?: string | null | undefined;
  /** Minutes; excludes `timeZone`. */
  readonly utcOffset?: number | null | undefined;
  /** Throws when the expression matches nothing in the eight years after the process's now. */
  getNextDateFrom(start: Date, timeZone?: string): { toMillis(): number };
  /** The fields of the expression. */
  toJSON?(): string[];
}

/**
 * The nominal instants of a cron expression as a pure function of expression and zone.
 *
 * cron is called with *local times* only: in UTC, where no clock is ever set, its answer does not depend on the start. Which instants a local
 * time stands for is decided here, because cron decides it by the moment of the call:
 *
 * - **Gap**: local times that do not exist run once, at the first instant after the gap.
 * - **Repeat**: a local time runs in the first pass only.
 * - A schedule that **ticks on**, one that matches in the set-back or left-out stretch and again in the stretch of the
 *   same length right after it, goes by elapsed time: it runs in both passes, and owes nothing for a gap.
 */
export class CronSequence {
  readonly zone: ZoneOffset;
  readonly #cronTime: CronTimeLike;
  readonly #isImpossible: boolean;
  /** Requested instants, and the instant after each. */
  readonly #following = new Map<number, number>();
  #repeat: { readonly at: number; readonly ticksOn: boolean } | undefined;

  constructor(cronTime: CronTimeLike) {
    this.#cronTime = cronTime;
    this.#isImpossible =
      typeof cronTime.source === 'string' && isImpossibleDate(cronTime.source, cronTime.toJSON?.() ?? []);
    this.zone = zoneOffset(cronTime.timeZone, cronTime.utcOffset);
  }

  /**
   * The first instant > `at`, epoch ms. Costs one search of cron, a few more next to a change of the zone's offset, and none when the same
   * instant was requested not long ago.
   * @returns undefined when there is none, or cron finds none within the eight years after the process's now
   */
  after(at: number): number | undefined {
    if (this.#isImpossible) return undefined;
    const known = this.#following.get(at);
    if (known !== undefined) return known;
    const found = this.#find(at);
    if (found === undefined) return undefined;
    if (this.#following.size >= REMEMBERED) this.#following.clear();
    this.#following.set(at, found);
    return found;
  }

  #find(at: number): number | undefined {
    let offset = this.zone.offsetAt(at);
    let wall = this.#wallAfter(this.#pastSilentPass(at) + offset);
    let since = at;
    while (wall !== undefined) {
      const change = this.zone.changeIn(since, wall - offset);
      if (change === undefined) return wall - offset;
      const resumed = change.at + Math.max(change.before, change.after);
      if (change.after > change.before) {
        if (wall < resumed) {
          wall = this.#firstFrom(resumed);
          if (wall === undefined || wall >= resumed + change.after - change.before) return change.at;
        }
      } else if (wall < resumed + change.before - change.after && this.#ticksOn(change)) {
        wall = this.#firstFrom(change.at + change.after);
      }
      since = change.at;
      offset = change.after;
    }
    return undefined;
  }

  /** `at`, or the last second of the second pass of a repeat when `at` lies in it and the schedule rests there. */
  #pastSilentPass(at: number): number {
    const change = this.zone.changeIn(at - DAY, at);
    if (change === undefined) return at;
    const end = change.at + change.before - change.after;
    return at < end && !this.#ticksOn(change) ? Math.max(at, end - SECOND) : at;
  }

  /** Whether the schedule runs through the second pass of this repeat. */
  #ticksOn({ at, before, after }: OffsetChange): boolean {
    if (this.#repeat?.at !== at) {
      const end = at + before;
      const inPass = this.#firstFrom(at + after) ?? Infinity;
      const next = this.#firstFrom(end) ?? Infinity;
      this.#repeat = { at, ticksOn: inPass < end && next < end + before - after };
    }
    return this.#repeat.ticksOn;
  }

  /** The first matching local time >= `wall`, both as the epoch ms that UTC clocks would show it at. */
  #firstFrom(wall: number): number | undefined {
    return this.#wallAfter(wall - SECOND);
  }

  #wallAfter(wall: number): number | undefined {
    try {
      return this.#cronTime.getNextDateFrom(new Date(wall), 'UTC').toMillis();
    } catch {
      return undefined;
    }
  }
}
