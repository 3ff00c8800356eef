import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';

/** What waiting can help against. */
export type TransientRefusal = LockNotAcquiredError | LockUnavailableError;

/** Whether the same question may have another answer soon: somebody else has it, Redis is away, or its replicas are. */
export function isTransient(error: unknown): error is TransientRefusal {
  if (error instanceof LockNotAcquiredError) return error.code === 'NOT_ACQUIRED';
  return (
    error instanceof LockUnavailableError && (error.code === 'UNAVAILABLE' || error.code === 'NOT_REPLICATED')
  );
}

/** Whether a call was refused because its own time was over, and not that of another lock which it asked for. */
export function isTimeUp(error: unknown, name: string): boolean {
  return error instanceof LockNotAcquiredError && isTransient(error) && error.lock === name;
}
