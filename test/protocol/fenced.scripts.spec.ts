import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ConnectionPair } from '../../libs/distributed-lock/src/connections/connection.pair.js';
import { readTemplate } from '../../libs/distributed-lock/src/connections/template.loader.js';
import { FencedScripts } from '../../libs/distributed-lock/src/scripts/fenced.scripts.js';
import { ScriptRunner } from '../../libs/distributed-lock/src/script-runner/script.runner.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { acquired, released, renewed } from '../support/asked.js';
import { scaled } from '../support/slowness.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const LEASE = 60_000;
const CHANNEL = 'channel';

let redis: Redis;
let connections: ConnectionPair;
let scripts: FencedScripts;
let lock: string;
const locks: string[] = [];
beforeAll(async () => {
  redis = new Redis(inject('redisUrl'));
  const wheel = new TimerWheel();
  connections = new ConnectionPair({
    template: await readTemplate(inject('redisUrl')),
    wheel,
    commandTimeout: scaled(5000),
  });
  await connections.open();
  scripts = new FencedScripts(new ScriptRunner(connections.commands, wheel, scaled(5000)));
});
beforeEach(() => {
  lock = `fenced:${randomUUID()}`;
  locks.push(lock);
});
afterAll(async () => {
  await redis.del(...locks, ...locks.map(counter));
  redis.disconnect();
  await connections.close();
});

const counter = (name: string): string => `redisson_lock_token:{${name}}`;

test("a fenced lock's grants have the token that Redis has, exact beyond 2^53", async () => {
  await redis.set(counter(lock), '9007199254740992');
  expect(await acquired(scripts, lock, A, LEASE, 1)).toEqual({
    kind: 'granted',
    count: 1,
    token: 9007199254740993n,
  });
  expect(await acquired(scripts, lock, A, LEASE, 2)).toEqual({
    kind: 'granted',
    count: 2,
    token: 9007199254740994n,
  });
  expect(await scripts.transfer({ key: lock, from: A, to: B, lease: LEASE, channel: CHANNEL })).toEqual({
    kind: 'transferred',
    token: 9007199254740995n,
  });
  expect(await released(scripts, lock, B, 0, LEASE, lockChannel(lock))).toEqual({
    kind: 'released',
    reached: 0,
  });
  expect(await scripts.transfer({ key: lock, from: B, to: A, lease: LEASE, channel: CHANNEL })).toEqual({
    kind: 'granted',
    token: 9007199254740996n,
  });
  expect(await scripts.currentToken(lock)).toBe(9007199254740996n);
  expect(await redis.get(counter(lock))).toBe('9007199254740996');
});

test('a fenced lock is busy, lost, inspected, renewed and freed like a plain one', async () => {
  expect(await scripts.currentToken(lock)).toBeUndefined();
  expect(await acquired(scripts, lock, A, LEASE, 2)).toEqual({ kind: 'lost' });
  await redis.hset(lock, B, 1);
  expect(await acquired(scripts, lock, A, LEASE, 1)).toEqual({ kind: 'busy', ttl: -1, holder: B });
  expect(await scripts.transfer({ key: lock, from: A, to: 'C', lease: LEASE, channel: CHANNEL })).toEqual({
    kind: 'busy',
    ttl: -1,
    holder: B,
  });
  expect(await scripts.inspect(lock, B)).toEqual({ isLocked: true, ttl: -1, count: 1, holder: B });
  expect(await renewed(scripts, lock, B, LEASE)).toBe(LEASE);
  expect(await scripts.forceRelease(lock, lockChannel(lock))).toBe(true);
  expect(await renewed(scripts, lock, B, LEASE)).toBeUndefined();
  expect(await scripts.currentToken(lock)).toBeUndefined();
});

test('a hundred fenced locks of one turn each get their own token', async () => {
  const all = Array.from({ length: 100 }, (_lock, index) => `${lock}:${index}`);
  locks.push(...all);
  await Promise.all(all.map((name, index) => redis.set(counter(name), `${5_000_000_000_000_000 + index}`)));
  const granted = await Promise.all(all.map((name) => acquired(scripts, name, A, LEASE, 1)));
  expect(granted).toEqual(
    all.map((_name, index) => ({ kind: 'granted', count: 1, token: 5_000_000_000_000_001n + BigInt(index) })),
  );
});

test('a counter that is no token is an error for its reader, and for an acquisition', async () => {
  await redis.set(counter(lock), 'x');
  await expect(scripts.currentToken(lock)).rejects.toThrow(/fenced\/read-token returned an unknown reply/);
  await expect(acquired(scripts, lock, A, LEASE, 1)).rejects.toThrow(
    `ERR ${counter(lock)} is no fencing token`,
  );
  expect(await redis.exists(lock)).toBe(0);
});
