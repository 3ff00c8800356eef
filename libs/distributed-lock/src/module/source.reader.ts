import { LockConfigurationError } from '../errors/lock.errors.js';
import { readSource, type RedisSource } from '../sources/source.reader.js';
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
