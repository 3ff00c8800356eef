/** What a Date can hold, in epoch ms: records may be written by any client, and have any number. */
const LAST = 8_640_000_000_000_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const two = (value: number) => `${value}`.padStart(2, '0');

export function isInstant(at: number | undefined): at is number {
  return at !== undefined && Math.abs(at) <= LAST;
}

/** `14:02:11`, local time. */
export function clockText(at: number): string {
  if (!isInstant(at)) return `${at}`;
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/** `14:02:11` on the day of `now`, `Nov 27, 14:02:11` in its year, else `2025-11-27 14:02:11`; local time. */
export function instantText(at: number, now: number): string {
  if (!isInstant(at)) return `${at}`;
  const [date, today] = [new Date(at), new Date(now)];
  if (date.toDateString() === today.toDateString()) return clockText(at);
  const day =
    date.getFullYear() === today.getFullYear()
      ? `${MONTHS[date.getMonth()]} ${date.getDate()},`
      : dayText(date);
  return `${day} ${clockText(at)}`;
}

/** `2026-11-27 14:02:11 UTC+01:00`, local time. */
export function fullText(at: number): string {
  if (!isInstant(at)) return `${at}`;
  const date = new Date(at);
  return `${dayText(date)} ${clockText(at)} ${zoneText(-date.getTimezoneOffset())}`;
}

/** For the attribute `datetime`. */
export function isoText(at: number): string | undefined {
  return isInstant(at) ? new Date(at).toISOString() : undefined;
}

/** @param minutes ahead of UTC */
export function zoneText(minutes: number): string {
  const span = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(span / 60))}:${two(span % 60)}`;
}

function dayText(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
