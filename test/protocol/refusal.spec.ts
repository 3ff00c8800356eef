import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import * as lock from './reentrant.calls.js';
import * as tick from './tick.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const S10 = 10_000;
const LEASES = ['', '0', '-1', '1.5', 'nan', 'inf', '1e30', '315360000001', 'ten'];
const COUNTS = ['', '-1', '1.5', 'nan', 'inf', '2147483648', 'one'];
const INSTANTS = ['-1', '1.5', 'nan', 'inf', '100000000000000'];

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

const WRONGTYPE = (type: string) => [-1, expect.stringMatching(/^WRONGTYPE /), type];
const ERR = [-1, expect.stringMatching(/^ERR /), expect.any(String)];

describe.each(['string', 'list', 'set', 'zset', 'stream'])('a key that is a %s', (type) => {
  async function spoil(key: string): Promise<void> {
    const { redis } = stage;
    if (type === 'string') await redis.set(key, 'value');
    if (type === 'list') await redis.lpush(key, 'value');
    if (type === 'set') await redis.sadd(key, 'value');
    if (type === 'zset') await redis.zadd(key, 1, 'value');
    if (type === 'stream') await redis.xadd(key, '*', 'field', 'value');
  }

  test.each([
    ['acquisition', lock.acquire(A, S10, 1)],
    ['release', lock.release(A, 0, S10)],
    ['hand-over', lock.transfer(A, B, S10)],
    ['renewal', lock.renew(A, S10)],
    ['forced unlock', lock.forceRelease()],
    ['look', lock.inspect(A)],
  ])('is named to a %s, and left alone', async (_what, call) => {
    await spoil(names.lock);
    const before = await stage.redis.dump(names.lock);
    expect(await lock.send(stage, names, call)).toEqual(WRONGTYPE(type));
    expect(await stage.redis.dump(names.lock)).toBe(before);
  });

  test.each(['lock', 'record'] as const)(
    'is named to every script of a tick when it stands for the %s',
    async (part) => {
      await spoil(names[part]);
      const wrong = [-1, `WRONGTYPE ${names[part]} is not a hash`, type];
      expect(await tick.claim(stage, names, { mode: 'instant', tick: 1 })).toEqual(wrong);
      expect(await tick.finish(stage, names, { token: '1' })).toEqual(wrong);
      expect(await tick.inspect(stage, names)).toEqual(wrong);
      expect(await tick.again(stage, names)).toEqual(wrong);
      expect(await tick.pause(stage, names)).toEqual(wrong);
      expect(await tick.forget(stage, names)).toEqual(wrong);
      expect(await stage.redis.exists(...names.tick)).toBe(1);
    },
  );
});

test("a hash in the place of a job's rows is named, and nothing is written", async () => {
  await stage.redis.hset(names.runs, 'field', 'value');
  const wrong = [-1, `WRONGTYPE ${names.runs} is not a list`, 'hash'];
  expect(await tick.claim(stage, names, { mode: 'instant', tick: 1 })).toEqual(wrong);
  expect(await tick.finish(stage, names, { token: '1' })).toEqual(wrong);
  expect(await tick.inspect(stage, names)).toEqual(wrong);
  expect(await stage.redis.exists(...names.tick)).toBe(1);
});

test('a record of another type is named to a registration and a request', async () => {
  await stage.redis.set(names.record, 'value');
  const wrong = [-1, `WRONGTYPE ${names.record} is not a hash`, 'string'];
  expect(await tick.register(stage, names, 1)).toEqual(wrong);
  expect(await tick.request(stage, names, 'r1')).toEqual(wrong);
  expect(await tick.noteBegin(stage, names, 'r1')).toEqual(wrong);
  expect(await tick.withdraw(stage, names, 'r1')).toEqual(wrong);
});

test.each([
  ...LEASES.map((lease) => ['acquisition', 'lease', lease, lock.acquire(A, lease, 2)] as const),
  ...[...COUNTS, '0'].map((count) => ['acquisition', 'count', count, lock.acquire(A, S10, count)] as const),
  ...LEASES.map((lease) => ['partial release', 'lease', lease, lock.release(A, 1, lease)] as const),
  ...COUNTS.map((count) => ['release', 'count', count, lock.release(A, count, S10)] as const),
  ...LEASES.map((lease) => ['hand-over', 'lease', lease, lock.transfer(A, B, lease)] as const),
  ...LEASES.filter((lease) => lease !== '0').map(
    (lease) => ['renewal', 'lease', lease, lock.renew(A, lease)] as const,
  ),
  ['hand-over', 'taker that is', 'the giver', lock.transfer(A, A, S10)] as const,
])('a %s with a %s of "%s" is refused before anything is written', async (_what, _part, _value, call) => {
  await stage.put(names.lock, held({ [A]: 2 }, 60_000));
  expect(await lock.send(stage, names, call)).toEqual(ERR);
  expect(await stage.state(names.lock)).toEqual(held({ [A]: 2 }, 60_000));
  const free = stage.names();
  expect(await lock.send(stage, free, call)).toEqual(ERR);
  expect(await stage.state(free.lock)).toBe('free');
});

test('the longest lease and the highest count are taken', async () => {
  const [LONGEST, HIGHEST] = [315_360_000_000, 2_147_483_647];
  expect(await lock.send(stage, names, lock.acquire(A, LONGEST, 1))).toEqual([1]);
  expect(await lock.send(stage, names, lock.acquire(A, LONGEST, HIGHEST))).toEqual([1]);
  expect(await lock.send(stage, names, lock.release(A, HIGHEST, LONGEST))).toEqual([2, HIGHEST]);
  await stage.redis.pexpire(names.lock, S10);
  expect(await lock.send(stage, names, lock.renew(A, LONGEST))).toEqual([1]);
  expect(await lock.send(stage, names, lock.transfer(A, B, LONGEST))).toEqual([1]);
  expect(await lock.send(stage, names, lock.release(B, 0, S10))).toEqual([1]);
  expect((await tick.claim(stage, names, { mode: 'instant', tick: 1, lease: LONGEST }))[0]).toBe(1);
});

test('the shortest lease is taken', async () => {
  const [one, two] = [stage.names(), stage.names()];
  await stage.put(two.lock, held({ [A]: 2 }, S10));
  expect(await lock.send(stage, names, lock.acquire(A, 1, 1))).toEqual([1]);
  expect(await lock.send(stage, one, lock.transfer(A, B, 1))).toEqual([2]);
  expect(await lock.send(stage, two, lock.release(A, 1, 1))).toEqual([2, 1]);
});

test.each<tick.Claim>([
  ...LEASES.map((lease) => ({ mode: 'instant', tick: 2, lease })),
  ...['', ...INSTANTS].map((instant) => ({ mode: 'cron', tick: instant })),
  ...['', '-1', 'nan', 'inf'].map((least) => ({ mode: 'interval', following: least })),
  ...['-1', 'nan', 'inf'].map((instant) => ({ mode: 'cron', tick: 2, following: instant })),
  ...INSTANTS.map((instant) => ({ mode: 'cron', tick: 2, previous: instant })),
  ...['', 'CRON', 'retry'].map((mode) => ({ mode, tick: 2 })),
  ...['', '-1', '1.5', 'nan', 'inf'].map((grace) => ({ mode: 'cron', tick: 2, grace })),
  { mode: 'instant', tick: 2, onCrash: 'queue' },
  { mode: 'instant', tick: 2, overlap: 'retry' },
])('a claim of %j is refused before anything is written', async (wanted) => {
  await stage.redis.hset(names.record, 'mark', '1');
  const before = await tick.wholeState(stage, names);
  expect(await tick.claim(stage, names, wanted)).toEqual(ERR);
  expect(await tick.wholeState(stage, names)).toEqual(before);
});

test.each<Omit<tick.Finish, 'token'>>([
  ...COUNTS.map((count) => ({ count })),
  ...LEASES.map((lease) => ({ count: 1, lease })),
  { outcome: 'running' },
  { holder: '' },
])('the end of a run with %j is refused before anything is written', async (wanted) => {
  const token = await tick.begin(stage, names);
  const before = await tick.wholeState(stage, names);
  expect(await tick.finish(stage, names, { ...wanted, token })).toEqual(ERR);
  expect(await tick.wholeState(stage, names)).toEqual(before);
});

test.each(INSTANTS)('a registration at "%s" is refused before anything is written', async (instant) => {
  expect(await tick.register(stage, names, instant)).toEqual(ERR);
  expect(await stage.redis.exists(names.record)).toBe(0);
});

test.each<tick.Again>([
  ...LEASES.map((lease) => ({ lease })),
  ...['', '-1', '1.5', 'nan', 'inf'].map((grace) => ({ grace })),
  { onCrash: 'queue' },
])('a claim of %j for queued work is refused before anything is written', async (wanted) => {
  await stage.redis.hset(names.record, { mark: '1', queued: '1' });
  const before = await tick.wholeState(stage, names);
  expect(await tick.again(stage, names, wanted)).toEqual(ERR);
  expect(await tick.wholeState(stage, names)).toEqual(before);
});

test.each(['', '0', '-1', '1.5', 'nan', 'inf', 'ten'])(
  'a request that waits for "%s" is refused before anything is written',
  async (patience) => {
    expect(await tick.request(stage, names, 'r1', patience)).toEqual(ERR);
    expect(await stage.redis.exists(names.record)).toBe(0);
  },
);

test('a request without an id, and a pause by another word, are refused', async () => {
  expect(await tick.request(stage, names, '')).toEqual(ERR);
  expect(await tick.pause(stage, names, 'stop')).toEqual(ERR);
  expect(await stage.redis.exists(names.record)).toBe(0);
});
