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
