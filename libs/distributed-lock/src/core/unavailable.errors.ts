import { LockUnavailableError } from '../errors/lock.errors.js';
import { refusalRemedy } from '../errors/redis.refusals.js';
import { NOT_REPLICATED, RedisFailure } from '../redis/redis.failure.js';

/** The error for a caller when Redis could not be reached. */
export function unavailable(lock: string, cause: unknown): LockUnavailableError {
  const failure = RedisFailure.from(cause);
  // Redis ends some of its messages like a sentence.
  const why = failure.message.replace(/\.$/, '');
  if (failure.isNotReplicated) {
    const text = `Lock "${lock}" was not granted: ${why}.`;
    return new LockUnavailableError(lock, text, { cause }, NOT_REPLICATED);
  }
  if (failure.kind !== 'refused') {
    return new LockUnavailableError(lock, `Redis is unavailable for lock "${lock}": ${why}.`, {
      cause,
    });
  }
  const code = failure.code === 'WRONGTYPE' ? 'WRONG_TYPE' : 'REJECTED_BY_REDIS';
  return new LockUnavailableError(
    lock,
    `Redis refused a command for lock "${lock}": ${why}.`,
    { cause },
    code,
    code === 'WRONG_TYPE' ? undefined : refusalRemedy(failure.code),
  );
}

/** The error for a caller that requests a lock, or waits for one, while the application shuts down. */
export function shuttingDown(lock: string): LockUnavailableError {
  return new LockUnavailableError(lock, `Lock "${lock}" was not granted.`, undefined, 'SHUTTING_DOWN');
}
