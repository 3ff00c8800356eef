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
  return { message: `${sentenceFor(code, lock)} Try again later.`, code, lock };
}

function sentenceFor(code: LockErrorCode, lock: string | undefined): string {
  switch (code) {
    case 'NOT_ACQUIRED':
      return `Lock "${lock}" is held.`;
    case 'NOT_LEADER':
      return `This instance does not lead "${lock}".`;
    case 'TOO_MANY_WAITERS':
      return `Too many callers wait for lock "${lock}".`;
    default:
      return 'Locks cannot be acquired at the moment.';
  }
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
  { busyStatus }: Pick<LockSettings, 'busyStatus'>,
): HttpRefusal {
  const statusCode = error instanceof LockNotAcquiredError ? busyStatus : 503;
  return { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', ...describeRefusal(error) };
}
