import { LockConfigurationError } from '../errors/lock.errors.js';
import type { RedisSource } from '../redis/client.factory.js';
import type { DistributedLockModuleOptions } from './distributed-lock.module-definition.js';

/**
 * Checks where Redis, and the servers of red locks, are said to be, before a client is made of it.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function readSources({
  redis,
  redLock,
}: DistributedLockModuleOptions): [RedisSource, readonly RedisSource[]] {
  const servers: unknown = redLock === undefined ? [] : redLock.servers;
  if (!Array.isArray(servers))
    throw new LockConfigurationError('INVALID_OPTION', 'redLock.servers must be an array.');
  return [
    readSource('redis', redis),
    servers.map((server: RedisSource, index) => readSource(`redLock.servers[${index}]`, server)),
  ];
}

function readSource(option: string, source: RedisSource): RedisSource {
  const given: unknown = source;
  const isUsable =
    typeof given === 'string'
      ? isAddress(given)
      : typeof given === 'object' && given !== null && !Array.isArray(given);
  if (isUsable) return source;
  throw new LockConfigurationError(
    'INVALID_OPTION',
    `The option "${option}" of DistributedLockModule must be a URL such as "redis://localhost:6379", ioredis options, or an ioredis client, not ${show(given)}.`,
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
