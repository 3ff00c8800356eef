import { STATUS_CODES } from 'node:http';
import type { LockSettings } from '../contracts/settings.js';
import type { LockErrorCode } from '../errors/error.table.js';
import { LockNotAcquiredError, type LockUnavailableError } from '../errors/lock.errors.js';

/** The part of a refusal that any client may see; never the holder of the lock, nor the address of Redis. */
export interface Refusal {
  readonly message: string;
  readonly code: LockErrorCode;
  readonly lock: string | undefined;
}

export function describeRefusal(error: LockNotAcquiredError | LockUnavailableError): Refusal {
  const { code, lock } = error;
  const message =
    error instanceof LockNotAcquiredError
      ? `Lock "${error.lock}" is held. Try again later.`
      : 'Locks cannot be acquired at the moment. Try again later.';
  return { message, code, lock };
}

/** The body of an HTTP answer. */
export interface HttpRefusal extends Refusal {
  readonly statusCode: number;
  /** The status in words. */
  readonly error: string;
}

/** Busy: the module's status. Redis away, or the application shutting down: 503. */
export function describeHttpRefusal(
  error: LockNotAcquiredError | LockUnavailableError,
  { busyStatus }: LockSettings,
): HttpRefusal {
  const statusCode = error instanceof LockNotAcquiredError ? busyStatus : 503;
  return { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', ...describeRefusal(error) };
}
