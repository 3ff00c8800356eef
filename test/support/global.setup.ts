import { Redis } from 'ioredis';
import 'vitest';
import type { TestProject } from 'vitest/node';
import { isDeclared } from './declared.keys.js';
import { failSuite } from './suite.failure.js';
import { provideRedis } from '../../tools/redis/redis.runner.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that all files share. */
    readonly redisUrl: string;
  }
}

/** Starts one Redis for all test files; `inject('redisUrl')` and `TEST_REDIS_URL` tell where it is. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const redis = await provideRedis();
  project.provide('redisUrl', redis.url);
  process.env['TEST_REDIS_URL'] = redis.url;
  return async () => {
    const left = await leftovers(redis.url);
    await redis.stop();
    if (left.length > 0) failSuite(`the suite left behind in Redis: ${left.join(', ')}`);
  };
}

/** What the whole suite may leave is what is declared to stay; anything else is a lock, a queue entry or a listener too many. */
async function leftovers(url: string): Promise<string[]> {
  const client = new Redis(url);
  try {
    const keys = await client.keys('*');
    const channels = await client.pubsub('CHANNELS', '*');
    return [
      ...keys.filter((key) => !isDeclared(key)),
      ...channels.map((channel) => `channel ${String(channel)}`),
    ];
  } finally {
    client.disconnect();
  }
}
