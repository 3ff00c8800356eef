import { afterAll, beforeAll } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis, StartOptions } from '../../tools/redis/redis.types.js';

/** A server of the file's own: its connections can be counted, and it can be stopped. */
export function ownRedis(options?: StartOptions): () => RunningRedis {
  let server: RunningRedis | undefined;
  beforeAll(async () => {
    server = await startRedis(options);
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error('there is no server outside of a test');
    return server;
  };
}
