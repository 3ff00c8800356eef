/** Names beside a lock's own key, as Redisson builds them (wire format 1.2): only the character `{` decides. */
export function prefixName(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

/** A key beside `name`, in its slot. */
export function suffixName(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** The channel on which a release of the lock `name` is told. A waiter of a fair lock has its own: this, a colon, its holder id. */
export function lockChannel(name: string): string {
  return prefixName('redisson_lock__channel', name);
}

/** The channel of a read/write lock. */
export function readWriteChannel(name: string): string {
  return prefixName('redisson_rwlock', name);
}

/** The channel of both semaphores. */
export function semaphoreChannel(name: string): string {
  return prefixName('redisson_sc', name);
}

/** The channel of a latch; always with braces, and without a colon. */
export function latchChannel(name: string): string {
  return `redisson_countdownlatch__channel__{${name}}`;
}
