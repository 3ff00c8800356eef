const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const WEEK = 7 * 24 * HOUR;
/** Weeks remembered per zone; some twenty years of a yearly schedule's look-back. */
const REMEMBERED_WEEKS = 1024;

/** A moment at which the clocks of a zone are set. Gap: `after > before`; repeat: `after < before`. */
export interface OffsetChange {
  /** The first instant of the new offset, epoch ms. */
  readonly at: number;
  /** Local time − UTC, ms, up to the change. */
  readonly before: number;
  /** Local time − UTC, ms, from the change on. */
  readonly after: number;
}

/** The properties of its zone that a schedule needs. */
export interface ZoneOffset {
  /** Names the zone in a fingerprint. */
  readonly label: string;
  /** Local time − UTC at that instant, ms. */
  offsetAt(at: number): number;
  /** The first change with `after < change.at <= until`, both epoch ms. */
  changeIn(after: number, until: number): OffsetChange | undefined;
}

/**
 * The zone that a CronTime works in. cron keeps the system's zone by name when none is given; neither field is left
 * only by an empty `timeZone`, which cron reads as UTC.
 * @param timeZone what luxon takes: an IANA name, `utc+5:30`, `local`
 * @param utcOffset minutes
 */
export function zoneOffset(
  timeZone: string | null | undefined,
  utcOffset: number | null | undefined,
): ZoneOffset {
  if (utcOffset !== null && utcOffset !== undefined) return fixedOffset(utcOffset);
  const name = timeZone ?? '';
  const fixed = /^(?:gmt|utc(?:([+-])(\d{1,2})(?::(\d{2}))?)?|)$/i.exec(name);
  if (fixed !== null) return fixedOffset(minutes(fixed[1], fixed[2], fixed[3]));
  return new NamedZone(/^(?:local|system|default)$/i.test(name) ? undefined : name);
}

function fixedOffset(utcOffset: number): ZoneOffset {
  const ahead = Math.abs(utcOffset);
  const clock = [Math.trunc(ahead / 60), ahead % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return {
    label: utcOffset === 0 ? 'UTC' : `UTC${utcOffset < 0 ? '-' : '+'}${clock}`,
    offsetAt: () => utcOffset * MINUTE,
    changeIn: () => undefined,
  };
}

/** An IANA zone, read from the runtime's own table as luxon does, so that both see the same changes. */
class NamedZone implements ZoneOffset {
  readonly label: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #weeks = new Map<number, OffsetChange | undefined>();

  constructor(name: string | undefined) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    this.label = name ?? this.#format.resolvedOptions().timeZone;
  }

  offsetAt(at: number): number {
    const [, sign, hours, mins, seconds] =
      /GMT(?:([+\-−])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(this.#format.format(at)) ?? [];
    const east = sign === '+' ? 1 : -1;
    return minutes(sign, hours, mins) * MINUTE + east * Number(seconds ?? 0) * SECOND;
  }

  changeIn(after: number, until: number): OffsetChange | undefined {
    for (let week = Math.floor(after / WEEK); week * WEEK <= until; week += 1) {
      const change = this.#changeOf(week);
      if (change !== undefined && change.at > after) return change.at <= until ? change : undefined;
    }
    return undefined;
  }

  /** Weeks count from the epoch, for every caller, so that every process finds the same changes. */
  #changeOf(week: number): OffsetChange | undefined {
    if (this.#weeks.has(week)) return this.#weeks.get(week);
    if (this.#weeks.size >= REMEMBERED_WEEKS) this.#weeks.clear();
    const change = this.#search(week * WEEK, (week + 1) * WEEK);
    this.#weeks.set(week, change);
    return change;
  }

  #search(from: number, to: number): OffsetChange | undefined {
    const before = this.offsetAt(from);
    if (this.offsetAt(to) === before) return undefined;
    let old = from;
    let at = to;
    while (at - old > SECOND) {
      const middle = old + Math.floor((at - old) / (2 * SECOND)) * SECOND;
      if (this.offsetAt(middle) === before) old = middle;
      else at = middle;
    }
    return { at, before, after: this.offsetAt(at) };
  }
}

function minutes(sign: string | undefined, hours: string | undefined, mins: string | undefined): number {
  const size = Number(hours ?? 0) * 60 + Number(mins ?? 0);
  return sign === undefined || sign === '+' ? size : -size;
}
