import 'vitest';
import type { TestProject } from 'vitest/node';
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
  return () => redis.stop();
}
