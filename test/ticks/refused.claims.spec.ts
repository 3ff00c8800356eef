import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { missTick } from './missed.tick.js';

const server = ownRedis();

// No connection breaks, so none comes back: nothing but another claim tells that Redis grants again.
test(
  'a tick that Redis refused for too long is caught up with when it grants again, and without catchUp it is not',
  async () => {
    const { url } = server();
    const admin = new Redis(url);
    const replicasToWrite = (least: number) => admin.config('SET', 'min-replicas-to-write', `${least}`);
    const outage = { url, begin: () => replicasToWrite(1), end: () => replicasToWrite(0) };
    await expect(missTick(outage).finally(() => admin.disconnect())).resolves.toBeUndefined();
  },
  scaled(60_000),
);
