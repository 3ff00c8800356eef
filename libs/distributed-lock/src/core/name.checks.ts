import { LockConfigurationError } from '../errors/lock.errors.js';

/** In UTF-16 code units; in Redis a name has up to three times as many bytes. */
const LONGEST = 1024;

/** In UTF-8 every half of a pair becomes the same replacement character, so that different names would be one key. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The prefixes of keys beside a lock; the last one is Redisson's alone. */
const KEYS_BEFORE = [
  'redisson_lock_queue',
  'redisson_lock_timeout',
  'redisson_lock_token',
  'redisson_unlock_latch',
];

/** The suffixes of keys beside a lock: all but those with a holder's id. */
const KEYS_BEHIND = [
  'fair_waits',
  'fair_alive',
  'write_intent',
  'waiting',
  'readers',
  'given',
  'timeout',
  'tick',
  'runs',
  'job_list',
  'instance_list',
];

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';

const RESERVED_BEFORE = new RegExp(`^(?:${KEYS_BEFORE.join('|')}):`);

/**
 * The ends of keys that stand beside a lock whose name has a `{`: the words above, hold keys of readers, and what ends with
 * a holder's id: records of calls, and the channel of a waiter; and the keys of a namePrefix.
 */
const RESERVED_BEHIND = new RegExp(
  `:(?:${KEYS_BEHIND.join('|')}|rwlock_timeout:\\d+|${UUID}:\\d+|instance:${UUID})$`,
);

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
  const why = isText(key) ? whyReserved(key) : 'it contains NUL, or a lone surrogate';
  if (why === undefined) return;
  throw new LockConfigurationError(
    'INVALID_NAME',
    `Lock "${name}" cannot use the key ${JSON.stringify(key).slice(0, 200)} in Redis: ${why}.`,
    name,
  );
}

/**
 * Why the name `key` could be taken for what stands beside another name; undefined when it cannot. Names without a `{` are
 * put in braces before anything is added, so only those that have one can be mistaken.
 */
export function whyReserved(key: string): string | undefined {
  const before = RESERVED_BEFORE.exec(key);
  if (before !== null) return `it begins with "${before[0]}", which is reserved for internal keys`;
  if (!key.includes('{')) return undefined;
  const behind = RESERVED_BEHIND.exec(key);
  if (behind !== null)
    return `it contains "{" and ends with "${behind[0]}", which is reserved for internal keys`;
  const isWhole = key.startsWith('{') && key.endsWith('}') && !key.includes('{', 1);
  return isWhole
    ? 'it would share internal keys with the lock of the same name without the braces'
    : undefined;
}

function isText(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}
