import { errorText } from '../errors/error.text.js';
import { RedisFailure } from '../redis/redis.failure.js';

/** The classes of error replies, by their names: the package may be another copy. */
const REPLIES = new Set(['ErrorReply', 'SimpleError', 'BlobError']);

/** Maps the rejection of a command. @param isOpen whether its connection is still there: then only Redis can have refused it */
export function failureOf(error: unknown, isOpen: boolean): RedisFailure {
  const message = errorText(error);
  if (isReply(error) || isOpen)
    return new RedisFailure('refused', message, { code: /^[A-Z]+/.exec(message)?.[0], cause: error });
  return new RedisFailure('ambiguous', 'the connection broke before the answer came', { cause: error });
}

/** Whether an error is an answer of Redis. */
export function isReply(error: unknown): error is Error {
  return error instanceof Error && REPLIES.has(error.constructor.name);
}

/** The failure of a command that was not sent. */
export function offline(): RedisFailure {
  return new RedisFailure('unsent', 'there is no connection');
}
