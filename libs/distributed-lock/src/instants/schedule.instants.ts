import { CronSequence, type CronTimeLike } from './cron.sequence.js';

export type { CronTimeLike } from './cron.sequence.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 3_600_000;
/** The longest rest of a cron expression is eight years: 29 February over 2100. */
const LONGEST_REST = 9 * 366 * DAY;
/** Instants that one call steps over before it looks for a new anchor instead. */
const MAX_STEPS = 8;
/** Instants that are visited to be counted: the rest is calculated from their distance. */
const MOST_VISITED = 100;
/** Instants kept, so that a clock set back by a little still finds its own. */
const KEPT = 64;

/**
 * The nominal instants (epoch ms) of a schedule: the names of its ticks. The same in every process, whenever it
 * started and whatever it was asked before, so that a fleet agrees on which tick it is; the rules for hours that are
 * left out or repeated are `CronSequence`'s.
 *
 * cron's own timer may fire at other moments too: again in a repeated hour, there also an hour ahead of an instant that
 * follows it, and late in a gap. `latestAt` names the tick of such a fire. Under an hour old, it is the one the fire was
 * meant for; an older one is a past tick, and the fire one too many.
 *
 * Keeps a stretch of the sequence, so that following the clock computes each instant once (0.1–1 ms). After a jump
 * of the clock, either way, the answer is found by halving, without visiting what lies between.
 */
export class ScheduleInstants {
  /** Changes when the schedule changes: the expression as written and its zone, or the date of a one-shot. */
  readonly fingerprint: string;
  readonly #sequence: CronSequence;
  readonly #once: number | undefined;
  readonly #expression: string;
  /** Neighbouring instants of the sequence, rising. */
  readonly #stretch: number[] = [];

  /** @param sequence of the same schedule, which may be shared */
  constructor(cronTime: CronTimeLike, sequence = new CronSequence(cronTime)) {
    this.#sequence = sequence;
    this.#expression = typeof cronTime.source === 'string' ? cronTime.source.trim() : '';
    if (typeof cronTime.source === 'string') {
      this.fingerprint = `${cronTime.source.trim().replace(/\s+/g, ' ')} [${this.#sequence.zone.label}]`;
    } else {
      this.#once = cronTime.source.toMillis();
      this.fingerprint = `once ${new Date(this.#once).toJSON()}`;
    }
  }

  /** The latest instant <= `at`, epoch ms; undefined when there is none, as before the date of a one-shot. */
  latestAt(at: number): number | undefined {
    if (this.#once !== undefined) return this.#once <= at ? this.#once : undefined;
    return this.#stretch[this.#locate(at)];
  }

  /** The first instant > `after`, epoch ms; undefined when there is none in the eight years that cron looks ahead. */
  nextAfter(after: number): number | undefined {
    if (this.#once !== undefined) return this.#once > after ? this.#once : undefined;
    const index = this.#locate(after);
    return this.#stretch[index + 1] ?? this.#sequence.after(this.#stretch[index] ?? after);
  }

  /** The instants strictly between `from` and `to` (epoch ms), oldest first, the oldest `limit` of them. */
  between(from: number, to: number, limit: number): number[] {
    const found: number[] = [];
    let next = this.#peek(from);
    while (next !== undefined && next < to && found.length < limit) {
      found.push(next);
      next = this.#peek(next);
    }
    return found;
  }

  /**
   * The number of instants after `after` up to and including `last`, both epoch ms.
   * @returns undefined where there are more than can be visited, and they do not come all hours of all days at one distance
   */
  count(after: number, last: number): number | undefined {
    const found = this.between(after, last + 1, MOST_VISITED);
    const [first = 0, second = 0] = found;
    if (found.length < MOST_VISITED) return found.length;
    const distance = second - first;
    const isRegular =
      isOpen(this.#expression, distance) &&
      found.every((instant, at) => at === 0 || instant - (found[at - 1] ?? 0) === distance);
    return isRegular && (last - first) % distance === 0 ? (last - first) / distance + 1 : undefined;
  }

  /** As `nextAfter`, but leaves the stretch where the clock is: a walk through the past must not move it. */
  #peek(after: number): number | undefined {
    if (this.#once !== undefined) return this.nextAfter(after);
    const [first = Infinity] = this.#stretch;
    if (first <= after) {
      const known = this.#stretch.find((instant) => instant > after);
      if (known !== undefined) return known;
    }
    return this.#sequence.after(after);
  }

  /** Index of the latest instant <= `at` in a stretch that reaches beyond `at`; -1 when there is none. */
  #locate(at: number): number {
    const [first = Infinity] = this.#stretch;
    if (at < first || !this.#stepPast(at)) this.#anchor(at);
    return this.#stretch.findLastIndex((instant) => instant <= at);
  }

  /** Lengthens the stretch beyond `at`; false when that is too many steps away. */
  #stepPast(at: number): boolean {
    for (let step = 0; ; step += 1) {
      const last = this.#stretch.at(-1);
      if (last === undefined || last > at) return true;
      if (step === MAX_STEPS) return false;
      const next = this.#sequence.after(last);
      if (next === undefined) return true;
      this.#stretch.push(next);
      if (this.#stretch.length > KEPT) this.#stretch.splice(0, KEPT / 2);
    }
  }

  /** Begins a new stretch at the latest instant <= `at`, found by looking back ever further. */
  #anchor(at: number): void {
    const next = this.#sequence.after(at);
    const latest = this.#searchBack(at, next ?? at + DAY);
    const found = [latest, next].filter((instant) => instant !== undefined);
    this.#stretch.splice(0, this.#stretch.length, ...found);
  }

  /** The distance to the next instant is the first guess of the distance to the last one. */
  #searchBack(at: number, next: number): number | undefined {
    for (let reach = Math.max(SECOND, next - at); ; reach = Math.min(reach * 4, LONGEST_REST)) {
      const found = this.#sequence.after(at - reach);
      if (found !== undefined && found <= at) return this.#latestFrom(found, at);
      if (reach >= LONGEST_REST) return undefined;
    }
  }

  /** The latest instant <= `at`, by halving: a burst every second may lie between `found` and `at`. */
  #latestFrom(found: number, at: number): number {
    let low = found;
    let high = at;
    for (;;) {
      const next = this.#sequence.after(low);
      if (next === undefined || next > at) return low;
      low = next;
      const middle = Math.floor((low + high) / 2);
      const later = this.#sequence.after(middle) ?? Infinity;
      if (later <= at) low = later;
      else high = middle;
    }
  }
}

/** Whether an expression leaves out no hour of any day, and for instants within a minute no minute: then the visited ones stand for all. */
function isOpen(expression: string, distance: number): boolean {
  const fields = expression.split(/\s+/);
  const [minute, ...others] = fields.slice(-5);
  return (
    others.length === 4 && others.every((field) => field === '*') && (distance >= MINUTE || minute === '*')
  );
}
