import { LockConfigurationError } from '../errors/lock.errors.js';
import { placeBeside } from '../scripts/wire.names.js';

/** In UTF-16 code units; in Redis a name has up to three times as many bytes. */
const LONGEST = 1024;

/** In UTF-8 every half of a pair becomes the same replacement character, so that different names would be one key. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Refuses a value that is no name of a lock. Names often come from users' input, so nothing is assumed that is not checked here.
 * @throws LockConfigurationError `INVALID_NAME`
 */
export function checkName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name.length > 0 && name.length <= LONGEST && isText(name)) return;
  // The value may be long, and is no name: it does not appear in a property of the error.
  throw new LockConfigurationError(
    'INVALID_NAME',
    `${JSON.stringify(name)?.slice(0, 80)} is not a valid lock name.`,
  );
}

/**
 * Refuses a name whose key is, or can be, a key that the library or Redisson stores beside another lock: with such a name a caller could
 * block that lock, or rewrite the record of a job.
 * @param key the name in Redis
 * @throws LockConfigurationError `INVALID_NAME` with the part of the key that causes it
 */
export function checkKey(name: string, key: string): void {
  const why = isText(key) ? placeBeside(key) : 'it contains NUL, or a lone surrogate';
  if (why === undefined) return;
  throw new LockConfigurationError(
    'INVALID_NAME',
    `Lock "${name}" cannot use the key ${JSON.stringify(key).slice(0, 200)} in Redis: ${why}.`,
    name,
  );
}

function isText(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}
