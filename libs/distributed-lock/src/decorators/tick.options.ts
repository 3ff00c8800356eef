import type { TickOptions } from '../contracts/guard.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { parseDuration } from '../timing/duration.parser.js';

/**
 * @param where class and method, for messages
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkTickOptions(options: TickOptions, where: string): void {
  for (const option of ['grace', 'catchUp', 'maxHold', 'minInterval'] as const) {
    const value = options[option];
    if (value !== undefined)
      parseDuration(value, { option: `${option} of ${where}`, unbounded: option === 'maxHold' });
  }
  for (const [option, other] of [
    ['overlap', 'queue'],
    ['onCrash', 'retry'],
  ] as const) {
    const value: unknown = options[option];
    if (value !== undefined && value !== 'skip' && value !== other)
      throw invalid(option, where, `"skip" or "${other}"`, value);
  }
  const shared: unknown = options.shared;
  if (shared !== undefined && typeof shared !== 'boolean')
    throw invalid('shared', where, 'true or false', shared);
}

function invalid(option: string, where: string, expected: string, value: unknown): LockConfigurationError {
  return new LockConfigurationError(
    'INVALID_OPTION',
    `${option} of ${where} must be ${expected}, not ${String(value)}.`,
  );
}
