import { LockUnavailableError } from '../errors/lock.errors.js';
import { GIVE_THE_CLUSTER, refusalRemedy } from '../errors/redis.refusals.js';
import { NOT_REPLICATED, RedisFailure } from '../redis/redis.failure.js';

/** The error for a caller when Redis could not be reached. @param name of a lock, a semaphore, a latch or a job */
export function unavailable(name: string, cause: unknown): LockUnavailableError {
  const failure = RedisFailure.from(cause);
  // Redis ends some of its messages like a sentence.
  const why = failure.message.replace(/\.$/, '');
  if (failure.isNotReplicated) {
    const text = `The request for "${name}" was not granted: ${why}.`;
    return new LockUnavailableError(name, text, { cause }, NOT_REPLICATED);
  }
  if (failure.kind !== 'refused') {
    return new LockUnavailableError(name, `Redis is unavailable for "${name}": ${why}.`, { cause });
  }
  const code = failure.code === 'WRONGTYPE' ? 'WRONG_TYPE' : 'REJECTED_BY_REDIS';
  return new LockUnavailableError(
    name,
    `Redis refused a command for "${name}": ${why}.`,
    { cause },
    code,
    code === 'WRONG_TYPE' ? undefined : remedyFor(failure),
  );
}

function remedyFor({ code, isFinal, isRedirection }: RedisFailure): string | undefined {
  return isFinal && isRedirection ? GIVE_THE_CLUSTER : refusalRemedy(code);
}

/** The error for a caller whose lease could not be extended. */
export function notExtended(name: string, cause: RedisFailure): LockUnavailableError {
  return unavailable(name, new RedisFailure('ambiguous', 'the lease could not be extended', { cause }));
}

/** The error for a caller that requests a lock or permits, or waits for them or a latch, while the application shuts down. */
export function shuttingDown(name: string): LockUnavailableError {
  const text = `The request for "${name}" was not granted.`;
  return new LockUnavailableError(name, text, undefined, 'SHUTTING_DOWN');
}
