/** Names beside a lock's own key, as Redisson builds them (wire format 1.2): only the character `{` decides. */
export function prefixName(prefix: string, name: string): string {
  return name.includes('{') ? `${prefix}:${name}` : `${prefix}:{${name}}`;
}

/** A key beside `name`, in its slot. */
export function suffixName(name: string, suffix: string): string {
  return name.includes('{') ? `${name}:${suffix}` : `{${name}}:${suffix}`;
}

/** The channel on which a release of the lock `name` is told. */
export function lockChannel(name: string): string {
  return prefixName('redisson_lock__channel', name);
}
