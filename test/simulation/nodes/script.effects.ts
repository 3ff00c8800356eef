import { MemoryKeys } from '../../../libs/distributed-lock/src/memory/memory.keys.js';
import type { MemoryStore } from '../../../libs/distributed-lock/src/memory/memory.store.js';

/** What has keys. */
type Keyed = Pick<MemoryStore, 'keys'>;

/**
 * What a replica gets of a script: the keys as it has left them, with what is left of their lives. The script itself would go another way
 * there, by another clock and without the clients that its messages reach.
 */
export function effectsOf({ keys }: Keyed, names: readonly string[]): (replica: Keyed) => void {
  const copy = new MemoryKeys();
  const lives = names.map((name) => {
    copyBetween({ keys }, { keys: copy }, name);
    copy.expire(name, undefined);
    return [name, keys.ttl(name)] as const;
  });
  return (replica) => {
    for (const [name, ttl] of lives) {
      replica.keys.delete(name);
      copyBetween({ keys: copy }, replica, name);
      if (ttl >= 0) replica.keys.expire(name, ttl);
    }
  };
}

/** Both stores have the same time. */
export function copyBetween({ keys: from }: Keyed, { keys: to }: Keyed, key: string): void {
  const type = from.typeOf(key);
  if (type === undefined) return;
  to.delete(key);
  switch (type) {
    case 'string':
      to.open(key, type).value = from.read(key, type)?.value ?? '';
      break;
    case 'list':
      to.open(key, type).push(...(from.read(key, type) ?? []));
      break;
    case 'hash':
      for (const [field, value] of from.read(key, type) ?? []) to.open(key, type).set(field, value);
      break;
    case 'zset':
      for (const [member, score] of from.read(key, type) ?? []) to.open(key, type).set(member, score);
      break;
  }
  const ttl = from.ttl(key);
  if (ttl >= 0) to.expire(key, ttl);
}
