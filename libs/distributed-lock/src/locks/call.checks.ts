import { LockConfigurationError } from '../errors/lock.errors.js';

/**
 * Refuses what only looks like a signal, such as the controller instead of its signal: the wait could not be ended.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkSignal(lock: string, signal: unknown): void {
  if (signal === undefined || isSignal(signal)) return;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `signal must be an AbortSignal for lock "${lock}".`,
    lock,
  );
}

/**
 * Refuses a section that could not run, before the lock is taken.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkUsing(lock: string, work: unknown, onLost: unknown): void {
  if (typeof work !== 'function')
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `using() must be given a function for lock "${lock}".`,
      lock,
    );
  if (onLost === undefined || onLost === 'signal' || onLost === 'throw') return;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `onLost must be "signal" or "throw" for lock "${lock}".`,
    lock,
  );
}

/** Structural, so that the signal of another realm or of a polyfill is one, too. */
function isSignal(signal: unknown): boolean {
  return (
    typeof signal === 'object' &&
    signal !== null &&
    'aborted' in signal &&
    typeof signal.aborted === 'boolean' &&
    'throwIfAborted' in signal &&
    typeof signal.throwIfAborted === 'function'
  );
}
