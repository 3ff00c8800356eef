import type { TickOptions } from '../contracts/guard.contract.js';
import type { LockConfigurationError } from '../errors/lock.errors.js';
import { FEWEST_KEPT, MOST_KEPT } from '../job-control/job.scripts.js';
import { readHeartbeat } from '../jobs/heartbeat.reader.js';
import { invalidOption, parseDuration } from '../options/option.checks.js';

/**
 * Checks the values of the options that ticks have.
 * @param where class and method, for messages
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkTickOptions(options: TickOptions, where: string): void {
  for (const option of ['grace', 'catchUp', 'maxHold', 'minInterval', 'splay'] as const) {
    const value = options[option];
    if (value !== undefined)
      parseDuration(value, {
        option: `${option} of ${where}`,
        ...(option === 'maxHold' && { unbounded: true, min: 1 }),
      });
  }
  for (const [option, other] of [
    ['overlap', 'queue'],
    ['onCrash', 'retry'],
  ] as const) {
    const value: unknown = options[option];
    if (value !== undefined && value !== 'skip' && value !== other)
      throw invalid(option, where, `"skip" or "${other}"`, value);
  }
  const attempts: unknown = options.maxAttempts;
  if (
    attempts !== undefined &&
    attempts !== Infinity &&
    !(Number.isInteger(attempts) && Number(attempts) >= 1)
  )
    throw invalid('maxAttempts', where, 'a whole number of at least 1, or Infinity', attempts);
  const history: unknown = options.history;
  if (
    history !== undefined &&
    !(Number.isInteger(history) && Number(history) >= FEWEST_KEPT && Number(history) <= MOST_KEPT)
  )
    throw invalid('history', where, `a whole number from ${FEWEST_KEPT} to ${MOST_KEPT}`, history);
  const shared: unknown = options.shared;
  if (shared !== undefined && typeof shared !== 'boolean')
    throw invalid('shared', where, 'true or false', shared);
  readHeartbeat(options.heartbeat, where);
}

function invalid(option: string, where: string, expected: string, value: unknown): LockConfigurationError {
  return invalidOption(`${option} of ${where} must be ${expected}, not ${String(value)}.`);
}
