import { LockConfigurationError } from '../errors/lock.errors.js';
import { isOfNodeRedis } from '../redis-source/node-redis.source.js';
import { readSource, type RedisSource } from '../redis-source/redis-source.reader.js';
import type { ClientTemplate } from '../redis-source/client.template.js';

/** What Node says of a package that is not installed. */
const ABSENT = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/**
 * Reads the source of a Redis by the adapter of its client, without sending anything on it. The adapter of the other client is not loaded. A
 * URL has no client: it takes the package that is installed, ioredis before redis.
 * @param option its name, for messages
 * @throws LockConfigurationError `INVALID_OPTION` for an invalid source; `CLIENT_NOT_INSTALLED` without the package of its client
 */
export async function readTemplate(source: RedisSource, option = 'redis'): Promise<ClientTemplate> {
  const given = readSource(option, source);
  if (isOfNodeRedis(given)) return await readByNodeRedis(given, option);
  const byIoredis = await loaded('ioredis', () => import('../ioredis-client/ioredis.adapter.js'));
  if (byIoredis !== undefined) return byIoredis.readIoredis(given);
  if (typeof given === 'string') return await readByNodeRedis(given, option);
  throw notInstalled(
    option,
    'needs the package "ioredis"',
    'Run npm install ioredis; or give a URL, or a client of the "redis" package, and run npm install redis.',
  );
}

async function readByNodeRedis(
  given: Parameters<typeof import('../node-redis-client/node-redis.adapter.js').readNodeRedis>[0],
  option: string,
): Promise<ClientTemplate> {
  const { readNodeRedis } = await import('../node-redis-client/node-redis.adapter.js');
  const template = await loaded('redis', () => readNodeRedis(given, option));
  if (template !== undefined) return template;
  if (typeof given === 'string')
    throw notInstalled(option, 'needs a Redis client', 'Run npm install ioredis, or npm install redis.');
  throw notInstalled(option, 'needs the package "redis"', 'Run npm install redis.');
}

/** @returns undefined where the package is not installed */
async function loaded<T>(name: string, load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    // A package that is installed may lack one of its own.
    if (ABSENT.has(String(code)) && new RegExp(`['"]${name}['"]`).test(String(error))) return undefined;
    throw error;
  }
}

function notInstalled(option: string, needs: string, remedy: string): LockConfigurationError {
  const message = `The option "${option}" of DistributedLockModule ${needs}, which is not installed.`;
  return new LockConfigurationError('CLIENT_NOT_INSTALLED', message, undefined, undefined, remedy);
}
