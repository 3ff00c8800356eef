import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import {
  fairAcquire,
  fairHeartbeat,
  fairForceRelease,
  fairRelease,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { fairKeysOf } from '../models/fair.actions.js';
import { scaled } from '../support/slowness.js';
import { CLIENT, HOLDER } from './fair.stage.js';

const { A, B } = HOLDER;
const LEASE = 60_000;

/** A cluster of one node: it has every slot, and refuses keys of two slots in one script like any other. */
let node: RunningRedis;
let redis: Redis;
let subscriber: Redis;
beforeAll(async () => {
  node = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] });
  [redis, subscriber] = [new Redis(node.url), new Redis(node.url)];
  await redis.cluster('ADDSLOTS', ...Array.from({ length: 16_384 }, (_slot, index) => index));
  await vi.waitUntil(async () => (await redis.cluster('INFO')).includes('cluster_state:ok'), {
    timeout: scaled(10_000),
  });
});
afterAll(async () => {
  redis.disconnect();
  subscriber.disconnect();
  await node.stop();
});

test.each(['nightly', '{tenant}:nightly', 'nächtlich'])(
  'the keys of a fair lock named %s share a slot, and its head is notified on a sharded channel',
  async (name) => {
    const { lock, queue, timeout, waits, alive } = fairKeysOf(name);
    const keys = [lock, queue, timeout, waits, alive];
    const channel = lockChannel(name);
    const acquire = (holder: string) =>
      redis.eval(
        fairAcquire.text,
        5,
        ...keys,
        'SPUBLISH',
        3000,
        5000,
        holder,
        LEASE,
        1,
        LEASE,
        0,
        0,
        channel,
      );
    await subscriber.ssubscribe(`${channel}:${B}`);

    expect(await acquire(A)).toEqual([[1, 1]]);
    expect(await acquire(B)).toEqual([[0, expect.any(Number), A]]);
    expect(
      await redis.eval(fairHeartbeat.text, 5, ...keys, 'SPUBLISH', 3000, 5000, CLIENT.b, 1, '[1]', channel),
    ).toEqual([[1, expect.any(Number), 1]]);
    expect(await redis.eval(fairRelease.text, 5, ...keys, 'SPUBLISH', 5000, 0, A, 0, LEASE, channel)).toEqual(
      [[1, 1]],
    );
    expect(await acquire(B)).toEqual([[1, 1]]);
    expect(await redis.eval(fairForceRelease.text, 5, ...keys, 'SPUBLISH', 5000, channel)).toEqual([[1, 0]]);
  },
);
