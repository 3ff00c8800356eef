import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ProtocolStage } from './protocol.stage.js';
import {
  forceRead,
  forceWrite,
  lookRead,
  lookWrite,
  read,
  renewRead,
  renewWrite,
  rwNames,
  unread,
  unwrite,
  write,
  type Call,
  type RwNames,
} from './read-write.calls.js';
import {
  clear,
  coarse,
  free,
  put,
  reading,
  S,
  seen,
  send,
  sendBatch,
  shown,
  writing,
} from './read-write.stage.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const LEASES = ['', '0', '-1', '1.5', 'nan', 'inf', '1e30', '315360000001', 'ten'];
const NO_LEASES = LEASES.filter((lease) => lease !== '0');
const WRITES = ['', '-1', '1.5', 'nan', 'inf', '2147483648', 'one'];
const READS = [...WRITES, '65536'];

let stage: ProtocolStage;
let names: RwNames;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = rwNames(stage.names().lock);
});
afterEach(() => clear(stage, names));
afterAll(() => stage.close());

const CALLS: readonly (readonly [string, Call])[] = [
  ['acquisition of the read side', read(A, S, 1)],
  ['release of the read side', unread(A, 0, S)],
  ['partial release of the read side', unread(A, 1, S)],
  ['renewal of the read side', renewRead(A, S)],
  ['forced unlock of the read side', forceRead()],
  ['look at the read side', lookRead(A)],
  ['acquisition of the write side', write(A, S, 1, S)],
  ['release of the write side', unwrite(A, 0, S)],
  ['partial release of the write side', unwrite(A, 1, S)],
  ['renewal of the write side', renewWrite(A, S)],
  ['forced unlock of the write side', forceWrite()],
  ['look at the write side', lookWrite(A)],
];

describe.each(['string', 'list', 'set', 'zset', 'stream'])('a key that is a %s', (type) => {
  test.each(CALLS)('is named to the %s, and left alone', async (_what, call) => {
    const { redis } = stage;
    if (type === 'string') await redis.set(names.lock, 'value');
    if (type === 'list') await redis.lpush(names.lock, 'value');
    if (type === 'set') await redis.sadd(names.lock, 'value');
    if (type === 'zset') await redis.zadd(names.lock, 1, 'value');
    if (type === 'stream') await redis.xadd(names.lock, '*', 'field', 'value');
    const before = await redis.dump(names.lock);
    await stage.listen(names.channel);
    expect(await send(stage, names, call)).toEqual([-1, expect.stringMatching(/^WRONGTYPE /), type]);
    expect(await redis.dump(names.lock)).toBe(before);
    expect(await redis.exists(names.intent)).toBe(0);
    expect(await stage.messages(names.channel)).toEqual([]);
  });
});

describe.each([
  ['a plain lock', { [A]: '1' }],
  ['a plain lock of somebody else', { [B]: '2' }],
  ['a hash with a mode of its own', { mode: 'dark', [A]: '1' }],
])('%s in the place of a read/write lock', (_what, fields) => {
  test.each(CALLS)('is named to the %s, and left alone', async (_call, call) => {
    await stage.redis.hset(names.lock, fields);
    await stage.redis.pexpire(names.lock, S);
    const before = await seen(stage, names);
    await stage.listen(names.channel);
    expect(await send(stage, names, call)).toEqual([-1, 'WRONGTYPE not a read/write lock', 'hash']);
    expect(await seen(stage, names)).toEqual(before);
    expect(await stage.messages(names.channel)).toEqual([]);
  });
});

test.each([
  ...LEASES.map((lease) => ['acquisition to read', 'lease', lease, read(A, lease, 2)] as const),
  ...[...READS, '0'].map((count) => ['acquisition to read', 'count', count, read(A, S, count)] as const),
  ...LEASES.map((lease) => ['partial release to read', 'lease', lease, unread(A, 1, lease)] as const),
  ...READS.map((count) => ['release to read', 'count', count, unread(A, count, S)] as const),
  ...NO_LEASES.map((lease) => ['release inside a write', 'lease', lease, unread(A, 0, S, lease)] as const),
  ...NO_LEASES.map((lease) => ['renewal to read', 'lease', lease, renewRead(A, lease)] as const),
  ...LEASES.map((lease) => ['acquisition to write', 'lease', lease, write(A, lease, 2)] as const),
  ...[...WRITES, '0'].map((count) => ['acquisition to write', 'count', count, write(A, S, count)] as const),
  ...NO_LEASES.map((sleep) => ['acquisition to write', 'sleep', sleep, write(A, S, 1, sleep)] as const),
  ...LEASES.map((lease) => ['partial release to write', 'lease', lease, unwrite(A, 1, lease)] as const),
  ...WRITES.map((count) => ['release to write', 'count', count, unwrite(A, count, S)] as const),
  ...NO_LEASES.map((lease) => ['renewal to write', 'lease', lease, renewWrite(A, lease)] as const),
])('an %s with a %s of "%s" is refused before anything is written', async (_what, _part, _value, call) => {
  const ERR = [-1, expect.stringMatching(/^ERR /), expect.any(String)];
  for (const state of [writing(A, 2, 6 * S, S, S), reading({ [A]: [S, S], [B]: [S] }), free()]) {
    await clear(stage, names);
    await put(stage, names, state);
    expect(await send(stage, names, call)).toEqual(ERR);
    expect(await seen(stage, names)).toEqual(shown(state, names));
  }
});

test('the longest lease and the shortest are taken', async () => {
  const LONGEST = 315_360_000_000;
  expect(await send(stage, names, read(A, LONGEST, 1))).toEqual([1]);
  expect(await send(stage, names, read(A, LONGEST, 2))).toEqual([1]);
  expect(await send(stage, names, renewRead(A, LONGEST))).toEqual([1, LONGEST]);
  expect(await send(stage, names, unread(A, 1, LONGEST))).toEqual([2, 1]);
  expect(await send(stage, names, unread(A, 0, 1))).toEqual([1, 0]);
  expect(await send(stage, names, write(A, LONGEST, 2_147_483_647, LONGEST))).toEqual([2]);
  expect(await send(stage, names, write(A, LONGEST, 1, LONGEST))).toEqual([1, 1]);
  expect(await send(stage, names, write(A, LONGEST, 2_147_483_647, 0))).toEqual([1, coarse(2_147_483_647)]);
  expect(await send(stage, names, write(B, LONGEST, 1, LONGEST))).toEqual([0, LONGEST, A]);
  expect(await send(stage, names, unwrite(A, 0, 1))).toEqual([1, 0]);
  expect(await send(stage, names, read(A, 1, 1))).toEqual([1]);
});

test('a thousand read holds of one holder are taken and given back', async () => {
  expect(await send(stage, names, read(A, S, 1))).toEqual([1]);
  expect(await send(stage, names, read(A, S, 1000))).toEqual([1]);
  expect(Object.keys(await seen(stage, names))).toHaveLength(1001);
  expect(await send(stage, names, unread(A, 0, 1))).toEqual([1, 0]);
  expect(await seen(stage, names)).toEqual({});
});

test('a broken key of the intent does not cost any client the lock', async () => {
  await stage.redis.hset(names.intent, 'field', 'value');
  expect(await send(stage, names, read(A, S, 1))).toEqual([1]);
  expect(await send(stage, names, unwrite(B, 0, 1))).toEqual([0]);
  expect(await send(stage, names, unread(A, 0, 1))).toEqual([1, 0]);
  expect(await send(stage, names, write(A, S, 1))).toEqual([1, 1]);
});

describe('a batch', () => {
  test('has each operation answered for itself, whatever its neighbours find', async () => {
    const all = [names, ...Array.from({ length: 4 }, () => rwNames(stage.names().lock))] as const;
    const [open = names, shared = names, wrong = names, plain = names, taken = names] = all;
    await put(stage, shared, reading({ [B]: [S] }));
    await stage.redis.set(wrong.lock, 'a value of the cache');
    await stage.redis.hset(plain.lock, B, '1');
    await put(stage, taken, writing(B, 1, S));
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'string'];
    const PLAIN = [-1, 'WRONGTYPE not a read/write lock', 'hash'];
    const each = (call: Call) =>
      sendBatch(
        stage,
        all.map((one) => [one, call]),
      );
    expect(await each(read(A, S, 1))).toEqual([[1], [1], WRONG, PLAIN, [0, S, B]]);
    expect(await each(renewRead(A, 3 * S))).toEqual([[1, 3 * S], [1, 3 * S], WRONG, PLAIN, [0]]);
    expect(await each(write(A, S, 1, S))).toEqual([
      [0, 3 * S, A],
      expect.any(Array),
      WRONG,
      PLAIN,
      [0, S, B],
    ]);
    expect(await each(unread(A, 0, S))).toEqual([[1, 0], [1, 0], WRONG, PLAIN, [0]]);
    expect(await seen(stage, open)).toEqual({});
    expect(await each(forceWrite())).toEqual([[0], [0], WRONG, PLAIN, [1, 0]]);
    expect(await each(forceRead())).toEqual([[0], [1, 0], WRONG, PLAIN, [0]]);
    for (const one of all) await clear(stage, one);
  });

  test('admits a hundred readers, and ends when the last of them has left', async () => {
    const readers = Array.from(
      { length: 100 },
      (_, index) => `6e38a1f0-0000-4000-8000-000000000001:${index}`,
    );
    const batch = (call: (reader: string) => Call) =>
      sendBatch(
        stage,
        readers.map((reader) => [names, call(reader)]),
      );
    await stage.listen(names.channel);
    expect(await batch((reader) => read(reader, S, 1))).toEqual(readers.map(() => [1]));
    expect(await seen(stage, names)).toEqual(
      shown(reading(Object.fromEntries(readers.map((reader) => [reader, [S]]))), names),
    );
    expect(await batch((reader) => unread(reader, 0, 1))).toEqual(
      readers.map((_, index) => [1, index === 99 ? 1 : 0]),
    );
    expect(await seen(stage, names)).toEqual({});
    expect(await stage.messages(names.channel)).toEqual(['0']);
  });
});
