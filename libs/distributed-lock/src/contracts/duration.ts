/** The unit suffixes that the `ms` package reads. */
type Unit =
  | 'ms'
  | 'msec'
  | 'msecs'
  | 'millisecond'
  | 'milliseconds'
  | 's'
  | 'sec'
  | 'secs'
  | 'second'
  | 'seconds'
  | 'm'
  | 'min'
  | 'mins'
  | 'minute'
  | 'minutes'
  | 'h'
  | 'hr'
  | 'hrs'
  | 'hour'
  | 'hours'
  | 'd'
  | 'day'
  | 'days'
  | 'w'
  | 'week'
  | 'weeks';

/** A duration: milliseconds as a number, or a string that the `ms` package reads (`'30s'`, `'2 minutes'`). */
export type Duration = number | `${number}` | `${number}${Unit}` | `${number} ${Unit}`;
