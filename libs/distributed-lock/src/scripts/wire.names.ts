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

const NO_LOCK = new RegExp(`^(?:${KEYS_BEFORE.join('|')}):`);

/**
 * The ends of keys that stand beside a lock whose name has a `{`: the words above, hold keys of readers, and what ends with
 * a holder's id: records of calls, and the channel of a waiter; and the keys of a namePrefix.
 */
const BESIDE = new RegExp(`:(?:${KEYS_BEHIND.join('|')}|rwlock_timeout:\\d+|${UUID}:\\d+|instance:${UUID})$`);

/** Names beside a lock's own key, as Redisson builds them (wire format 1.2): only the character `{` decides. */
export function prefixName(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

/** A key beside `name`, in its slot. */
export function suffixName(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** A key beside all locks of a `namePrefix`. All of one `namePrefix` have one slot, also where it is empty. */
export function prefixKey(namePrefix: string, suffix: string): string {
  return suffixName(namePrefix === '' ? 'distributed-lock:no-prefix' : namePrefix, suffix);
}

/**
 * Why the name `key` could be taken for what stands beside another name; undefined when it cannot. Names without a `{` are
 * put in braces before anything is added, so only those that have one can be mistaken.
 */
export function placeBeside(key: string): string | undefined {
  const before = NO_LOCK.exec(key);
  if (before !== null) return `it begins with "${before[0]}", which is reserved for internal keys`;
  if (!key.includes('{')) return undefined;
  const behind = BESIDE.exec(key);
  if (behind !== null)
    return `it contains "{" and ends with "${behind[0]}", which is reserved for internal keys`;
  const isWhole = key.startsWith('{') && key.endsWith('}') && !key.includes('{', 1);
  return isWhole
    ? 'it would share internal keys with the lock of the same name without the braces'
    : undefined;
}

/** The channel on which a release of the lock `name` is published. A waiter of a fair lock has its own: this, a colon, its holder id. */
export function lockChannel(name: string): string {
  return prefixName('redisson_lock__channel', name);
}

/** The channel of a read/write lock. */
export function readWriteChannel(name: string): string {
  return prefixName('redisson_rwlock', name);
}

/**
 * The channel that a process subscribes beside that of a read/write lock while it waits to read. Nothing is published on it: its subscribers are
 * counted, for the process may also be one of the two listeners of the queue.
 */
export function readersChannel(name: string): string {
  return `${readWriteChannel(name)}:readers`;
}

/** The channel of both semaphores. */
export function semaphoreChannel(name: string): string {
  return prefixName('redisson_sc', name);
}

/** The channel of a latch; always with braces, and without a colon. */
export function latchChannel(name: string): string {
  return `redisson_countdownlatch__channel__{${name}}`;
}
