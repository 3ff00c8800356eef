import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ProtocolStage } from './protocol.stage.js';
import { read, rwNames, unread, type Call, type RwNames } from './read-write.calls.js';

const CROWD = 200;
const [LONG, SHORT] = [600_000, 60_000];
const CLIENT = '6e38a1f0-0000-4000-8000-000000000001';
const LONGEST = `${CLIENT}:longest`;

/** So many readers that a release does not look at each of them. */
let stage: ProtocolStage;
let redis: Redis;
let names: RwNames;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
  redis = stage.redis;
});
beforeEach(async () => {
  names = rwNames(`protocol:${randomUUID()}`);
  await Promise.all(readers().map((reader) => send(read(reader, SHORT, 1))));
});
afterEach(async () => {
  await Promise.all([LONGEST, ...readers()].map((reader) => send(unread(reader, 0, 0))));
  if ((await redis.exists(names.lock)) > 0) throw new Error('the last reader left the lock behind');
});
afterAll(async () => {
  await stage.close();
});

const readers = () => Array.from({ length: CROWD }, (_, index) => `${CLIENT}:${index}`);
const send = ({ script, keys, shared, args }: Call) =>
  stage.call(script, keys(names), [...shared, ...args(names)]);

test('the lock lasts as long as the longest hold of a crowd, whichever of the others leaves', async () => {
  await send(read(LONGEST, LONG, 1));
  for (const reader of readers().slice(0, 50)) expect(await send(unread(reader, 0, 0))).toEqual([[1, 0]]);
  expect(await redis.pttl(names.lock)).toBeGreaterThan(LONG / 2);
});

test('the lock of a crowd becomes shorter when its longest hold ends', async () => {
  await send(read(LONGEST, LONG, 1));
  expect(await send(unread(LONGEST, 0, 0))).toEqual([[1, 0]]);
  expect(await redis.pttl(names.lock)).toBeLessThanOrEqual(SHORT);
});

test('a lock of a crowd that another client made shorter than its holds is repaired by a release', async () => {
  await redis.pexpire(names.lock, SHORT / 2);
  expect(await send(unread(`${CLIENT}:0`, 0, 0))).toEqual([[1, 0]]);
  expect(await redis.pttl(names.lock)).toBeGreaterThan(SHORT / 2);
});
