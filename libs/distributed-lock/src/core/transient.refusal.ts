import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';

/** The refusals that a later attempt may overcome. */
export type TransientRefusal = LockNotAcquiredError | LockUnavailableError;

/** Whether a repeated request may soon have another answer: another holder has the lock, or Redis or its replicas are away. */
export function isTransient(error: unknown): error is TransientRefusal {
  if (error instanceof LockNotAcquiredError) return error.code === 'NOT_ACQUIRED';
  return (
    error instanceof LockUnavailableError && error.cause instanceof RedisFailure && error.cause.isTransient
  );
}

/** Whether a call was refused because its own time was over, and not that of another lock which its work requested. */
export function isTimeUp(error: unknown, name: string): boolean {
  return error instanceof LockNotAcquiredError && isTransient(error) && error.lock === name;
}
