import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { namesOf, ProtocolStage } from './protocol.stage.js';
import { acquire, inspect, release, send } from './reentrant.calls.js';
import * as tick from './tick.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const S10 = 10_000;
const SLOTS = Array.from({ length: 16_384 }, (_slot, index) => index);
const TIME: unknown = expect.any(Number);

/** A cluster of one node: it has every slot, and refuses keys of two slots in one script like any other. */
let node: RunningRedis;
let cluster: ProtocolStage;
beforeAll(async () => {
  node = await startRedis({ args: ['--cluster-enabled', 'yes'] });
  cluster = ProtocolStage.open(node.url);
  await cluster.redis.cluster('ADDSLOTS', ...SLOTS);
  await vi.waitUntil(async () => (await cluster.redis.cluster('INFO')).includes('cluster_state:ok'), {
    timeout: 10_000,
  });
});
afterAll(async () => {
  await cluster.close();
  await node.stop();
});

test.each(['nightly', 'lock:nightly', '{tenant}:nightly', 'lock:{tenant}:nightly', 'nächtlich', 'a:b:c'])(
  'runs every script of a lock and a job named %s: their keys share a slot',
  async (name) => {
    const own = namesOf(name);
    expect(await send(cluster, own, acquire(A, S10, 1))).toEqual([1]);
    expect(await send(cluster, own, release(A, 0, S10))).toEqual([1]);
    expect((await tick.register(cluster, own, 1))[0]).toBe(1);
    const token = await tick.begin(cluster, own, { tick: 2 });
    expect(await tick.finish(cluster, own, { token })).toEqual([1, TIME, 0]);
    expect((await tick.inspect(cluster, own))[3]).toHaveLength(1);
    expect(await send(cluster, own, inspect(A))).toEqual([1, -2, 0, '']);
  },
);

test.each(['x}y{z', 'a{b', 'a{}b'])(
  'refuses a tick of %s as a whole: its keys have different slots',
  async (name) => {
    const own = namesOf(name);
    await expect(tick.claim(cluster, own, { mode: 'instant', tick: 1 })).rejects.toThrow(/^CROSSSLOT /);
    expect(await cluster.redis.exists(own.lock)).toBe(0);
  },
);

test('publishes on the shard of the lock where the server has shard channels, and frees the lock in any case', async () => {
  const [, major] = /redis_version:(\d+)/.exec(await cluster.redis.info('server')) ?? [];
  const own = namesOf('sharded');
  await send(cluster, own, acquire(A, S10, 1));
  const reply = await send(cluster, own, { ...release(A, 0, S10), shared: ['SPUBLISH', 0, S10] });
  expect(reply).toEqual(Number(major) >= 7 ? [1] : [1, -1]);
  expect(await cluster.redis.exists(own.lock)).toBe(0);
});
