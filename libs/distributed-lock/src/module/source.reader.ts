import { LockConfigurationError } from '../errors/lock.errors.js';
import type { RedisSource } from '../redis/client.factory.js';
import type { DistributedLockModuleOptions } from './distributed-lock.module-definition.js';

/**
 * Checks where Redis is said to be, before a client is made of it.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readSource(options: DistributedLockModuleOptions): RedisSource {
  const source: unknown = options.redis;
  const isUsable =
    typeof source === 'string'
      ? isAddress(source)
      : typeof source === 'object' && source !== null && !Array.isArray(source);
  if (isUsable) return options.redis;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `The option "redis" of DistributedLockModule must be a URL such as "redis://localhost:6379", ioredis options, or an ioredis client, not ${show(source)}.`,
  );
}

function isAddress(text: string): boolean {
  const [scheme] = text.split('://');
  return text.trim() !== '' && (scheme === text || scheme === 'redis' || scheme === 'rediss');
}

/** A URL may have a password in it. */
function show(source: unknown): string {
  if (typeof source !== 'string') return source === null ? 'null' : typeof source;
  return source.trim() === '' ? 'an empty text' : `a URL that begins with "${source.split('://')[0]}:"`;
}
