const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** A measured time: `240 ms`, `3.4 s`, `42 s`, `4 min 12 s`, `3 h 5 min`. Negative values are shown as 0. */
export function spanText(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  const span = Math.max(0, ms);
  if (span < 1000) return `${Math.floor(span)} ms`;
  return span < 10_000 ? `${(Math.floor(span / 100) / 10).toFixed(1)} s` : wholeSpan(span, 2);
}

/**
 * A time in whole units, rounded down, the smallest of them a second.
 * @param units how many units at most: `4 min 12 s` has two
 */
export function wholeSpan(ms: number, units: 1 | 2): string {
  if (!Number.isFinite(ms)) return '–';
  const span = Math.max(0, ms);
  const first = UNITS.findIndex(([, size]) => span >= size);
  if (first === -1) return '0 s';
  let rest = span;
  const parts: string[] = [];
  for (const [name, size] of UNITS.slice(first, first + units)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.join(' ');
}

/** How long ago an instant was: `3 min ago`. */
export function agoText(at: number, now: number): string {
  const span = now - at;
  return span < 1000 ? 'just now' : `${wholeSpan(span, 1)} ago`;
}

/** For how long something lasts that began at an instant: `4 min 12 s`, `less than 1 s`. */
export function sinceText(at: number, now: number): string {
  const span = now - at;
  return span < 1000 ? 'less than 1 s' : wholeSpan(span, 2);
}

/** How long it is until an instant that is due: `in 4 min 12 s`, `now`, `due 3 min ago`. */
export function untilText(at: number, now: number): string {
  const left = at - now;
  if (left > 0) return `in ${wholeSpan(Math.ceil(left / 1000) * 1000, 2)}`;
  return left > -5000 ? 'now' : `due ${agoText(at, now)}`;
}

/** What is left of a lease. */
export function leftText(until: number, now: number): string {
  const left = until - now;
  return left <= 0 ? 'ended' : wholeSpan(Math.ceil(left / 1000) * 1000, 2);
}
