import { inspect } from 'node:util';
import ms from 'ms';
import type { Duration } from '../contracts/duration.js';
import { LockConfigurationError } from '../errors/lock.errors.js';

/** The longest duration taken: ten years. A longer TTL would overflow in places that store it (wire format D11). */
export const LONGEST = 10 * 365 * 24 * 3_600_000;

interface Bounds {
  /** Named in the error. */
  readonly option: string;
  readonly lock?: string | undefined;
  readonly min?: number;
  /** Whether `Infinity` is a value. */
  readonly unbounded?: boolean;
}

/**
 * A duration in whole ms.
 * @throws LockConfigurationError `INVALID_OPTION` for anything that is not a duration within bounds
 */
export function parseDuration(value: Duration, { option, lock, min = 0, unbounded = false }: Bounds): number {
  const parsed: unknown = typeof value === 'string' ? readText(value) : value;
  if (typeof parsed !== 'number' || Number.isNaN(parsed)) {
    throw invalid(option, value, 'a number of milliseconds or a string like "30s"', lock);
  }
  if (parsed === Infinity && unbounded) return Infinity;
  const rounded = Math.round(parsed);
  if (rounded < min) throw invalid(option, value, `at least ${min} ms`, lock);
  if (rounded > LONGEST) throw invalid(option, value, 'at most ten years', lock);
  return rounded;
}

function readText(text: string): number | undefined {
  return text.length === 0 || text.length > 100 ? undefined : ms(text as ms.StringValue);
}

function invalid(
  option: string,
  value: unknown,
  expected: string,
  lock: string | undefined,
): LockConfigurationError {
  const shown = typeof value === 'string' ? `"${value.slice(0, 100)}"` : inspect(value, { depth: 0 });
  const where = lock === undefined ? '' : ` for lock "${lock}"`;
  return new LockConfigurationError(
    'INVALID_OPTION',
    `${option} must be ${expected}${where}, not ${shown}.`,
    lock,
  );
}
