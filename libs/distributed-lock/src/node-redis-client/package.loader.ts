import type { NodeRedisClient, NodeRedisCluster } from '../redis-source/node-redis.source.js';
import type { RawOptions } from './raw.client.js';

/** What is used of the `redis` package. */
export interface RedisPackage {
  /** Makes a client, which does not connect by itself. */
  readonly createClient: (options: RawOptions) => NodeRedisClient;
  readonly createCluster: (options: object) => NodeRedisCluster;
}

/**
 * Loads the `redis` package, for a source that is no client of one server: such a client makes others by itself.
 * @throws what Node throws where the package is not installed
 */
export async function loadPackage(): Promise<RedisPackage> {
  // Its types follow from options, which are known at run time alone.
  const loaded: object = await import('redis');
  return loaded as RedisPackage;
}
