import { Redis } from 'ioredis';
import { startRedis } from '../../tools/redis/redis.runner.mjs';

/** @returns {Promise<string>} of the server that the benchmark runs on */
export async function redisVersion() {
  const server = await startRedis();
  const client = new Redis(server.url);
  try {
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown';
  } finally {
    client.disconnect();
    await server.stop();
  }
}
