import { STATUS_CODES } from 'node:http';
import type { LockSettings } from '../contracts/settings.js';
import type { LockErrorCode } from '../errors/error.table.js';
import { LockNotAcquiredError, type LockUnavailableError } from '../errors/lock.errors.js';

/** What a client is told of a refusal; never who holds the lock, nor where Redis is. */
export interface Refusal {
  readonly statusCode: number;
  /** The status in words. */
  readonly error: string;
  readonly message: string;
  readonly code: LockErrorCode;
  readonly lock: string | undefined;
  /** In seconds. */
  readonly retryAfter: number;
}

/** Busy: the module's status. Redis away, or the application shutting down: 503. */
export function readRefusal(
  error: LockNotAcquiredError | LockUnavailableError,
  { busyStatus, retryAfter }: LockSettings,
): Refusal {
  const { code, lock } = error;
  const isBusy = error instanceof LockNotAcquiredError;
  const statusCode = isBusy ? busyStatus : 503;
  return {
    statusCode,
    error: STATUS_CODES[statusCode] ?? 'Error',
    message: isBusy
      ? `Lock "${error.lock}" is held. Try again later.`
      : 'Locks cannot be taken at the moment. Try again later.',
    code,
    lock,
    retryAfter,
  };
}
