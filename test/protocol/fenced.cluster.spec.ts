import { Cluster } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { guardedWrite } from '../../libs/distributed-lock/src/fencing/fencing.guard.js';
import { scaled } from '../support/slowness.js';
import { acquire, readTokens, send, transfer } from './fenced.calls.js';
import { namesOf, ProtocolStage } from './protocol.stage.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const TOKEN: unknown = expect.stringMatching(/^\d{16}$/);

/** A cluster of one node: it has every slot, and refuses keys of two slots in one script like any other. */
let node: RunningRedis;
let stage: ProtocolStage;
let cluster: Cluster;
beforeAll(async () => {
  node = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'] });
  stage = ProtocolStage.open(node.url);
  await stage.redis.cluster('ADDSLOTS', ...Array.from({ length: 16_384 }, (_slot, index) => index));
  await vi.waitUntil(async () => (await stage.redis.cluster('INFO')).includes('cluster_state:ok'), {
    timeout: scaled(10_000),
  });
  const { hostname, port } = new URL(node.url);
  cluster = new Cluster([{ host: hostname, port: Number(port) }]);
});
afterAll(async () => {
  cluster.disconnect();
  await stage.close();
  await node.stop();
});

test.each(['nightly', '{tenant}:nightly', 'nächtlich'])(
  'the keys of a fenced lock named %s share a slot',
  async (name) => {
    const names = namesOf(name);
    expect(await send(stage, names, acquire(A, 60_000, 1))).toEqual([1, 1, TOKEN]);
    expect(await send(stage, names, transfer(A, B, 60_000))).toEqual([1, TOKEN]);
    expect(await readTokens(stage, [names])).toEqual([[1, TOKEN]]);
  },
);

test('a guarded write whose fence and keys share a slot runs on a cluster', async () => {
  const guard = { fence: '{account:7}:fence', token: 5n };
  expect(await guardedWrite(cluster, guard, [['SET', '{account:7}:balance', 100]])).toEqual(['OK']);
  expect(await cluster.get('{account:7}:fence')).toBe('5');
});

test('a guarded write over two slots is refused as a whole', async () => {
  const guard = { fence: 'fence', token: 5n };
  await expect(guardedWrite(cluster, guard, [['SET', 'balance', 100]])).rejects.toThrow(/^CROSSSLOT /);
  expect([await cluster.get('fence'), await cluster.get('balance')]).toEqual([null, null]);
});
