import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { amount, counterOf, put, read, send, sweep, type Counter, type Operation } from './counter.stage.js';
import * as permit from './permit.calls.js';
import { ProtocolStage } from './protocol.stage.js';
import * as call from './semaphore.calls.js';

const A = '00ff80c3e28280fe0a0d25005c7f81ff';
const B = 'ffffffffffffffffffffffffffffffff';
const S10 = 10_000;
const ERR = [-1, expect.stringMatching(/^ERR /), expect.any(String)];

/** A server of our own, whose settings may be spoiled. */
let server: RunningRedis;
let stage: ProtocolStage;
let counter: Counter;
beforeAll(async () => {
  server = await startRedis();
  stage = ProtocolStage.open(server.url);
});
beforeEach(() => {
  counter = counterOf(stage.names().lock);
});
afterEach(() => sweep(stage, counter));
afterAll(async () => {
  await stage.close();
  await server.stop();
});

/** Everything that belongs to the counter. */
const dump = async () =>
  await Promise.all([counter.key, counter.timeout, counter.record('c')].map((key) => stage.redis.dump(key)));

const SEMAPHORE: readonly (readonly [string, Operation])[] = [
  ['acquisition', call.acquire(1)],
  ['release', call.add(1)],
  ['drain', call.drain()],
  ['set', call.set(1)],
  ['look', call.look()],
  ['deletion', call.remove()],
  ['undo', call.undo()],
  ['countdown', call.countDown()],
  ['closing', call.close(1)],
  ['look at a latch', call.count()],
  ['opening', call.open()],
];
const PERMIT: readonly (readonly [string, Operation])[] = [
  ['acquisition of a permit', permit.acquire(A, S10)],
  ['release of a permit', permit.release(A)],
  ['renewal of a permit', permit.renew(A, S10)],
  ['look at permits', permit.inspect(A)],
  ['change of the number', permit.resize(1)],
];

describe.each(['list', 'hash'])('a key that is a %s', (type) => {
  const spoil = (key: string) =>
    type === 'list' ? stage.redis.lpush(key, 'value') : stage.redis.hset(key, 'field', 'value');

  test.each([...SEMAPHORE, ...PERMIT])('is named to a %s, and left alone', async (_what, operation) => {
    await spoil(counter.key);
    const before = await dump();
    expect(await send(stage, counter, operation)).toEqual([-1, expect.stringMatching(/^WRONGTYPE /), type]);
    expect(await dump()).toEqual(before);
  });

  test.each(PERMIT)('in the place of the taken permits is refused to a %s', async (_what, operation) => {
    await put(stage, counter.key, amount(3));
    await spoil(counter.timeout);
    const before = await dump();
    expect(await send(stage, counter, operation)).toEqual([
      -1,
      expect.stringMatching(/^WRONGTYPE /),
      'string',
    ]);
    expect(await dump()).toEqual(before);
  });

  test.each(SEMAPHORE.slice(0, 4))(
    'in the place of a record is refused to a %s',
    async (_what, operation) => {
      await put(stage, counter.key, amount(3));
      await spoil(counter.record('c'));
      const before = await dump();
      expect(await send(stage, counter, operation)).toEqual([
        -1,
        expect.stringMatching(/^WRONGTYPE /),
        'string',
      ]);
      expect(await dump()).toEqual(before);
    },
  );
});

test.each(
  ['a value of the cache', '', '1.5', '1e3', '0x10', ' 1', '9007199254740993'].flatMap((value) =>
    [...SEMAPHORE, ...PERMIT].map(([what, operation]) => [value, what, operation] as const),
  ),
)('the value "%s" is refused to a %s, and left alone', async (value, _what, operation) => {
  await put(stage, counter.key, amount(value));
  const before = await dump();
  expect(await send(stage, counter, operation)).toEqual([-1, expect.stringMatching(/^ERR /), 'string']);
  expect(await dump()).toEqual(before);
});

const COUNTS = ['', '-1', '1.5', 'nan', 'inf', '2147483648', 'one'];
const KEEPS = ['', '0', '-1', '1.5', 'nan', '600001', 'long'];
const LEASES = ['', '0', '-1', '1.5', 'nan', 'inf', '315360000001', 'ten'];
const IDS = ['', 'a', A.toUpperCase(), `${A}00`, A.slice(2), `${A.slice(2)}zz`, 'g'.repeat(32)];

test.each<readonly [string, string, Operation]>([
  ...[...COUNTS, '0'].map((value) => ['permits to take', value, call.acquire(value)] as const),
  ...COUNTS.map((value) => ['permits to set', value, call.set(value)] as const),
  ...['', '-2147483648', '1.5', '2147483648'].map((value) => ['change', value, call.add(value)] as const),
  ...['', 'old'].map((payload) => ['payload', payload, call.add(1, { payload })] as const),
  ...['', 'here'].map((where) => ['place', where, call.add(1, { where })] as const),
  ...['', '-1', '1.5', 'nan', 'inf'].map((value) => ['time to live', value, call.set(1, value)] as const),
  ...KEEPS.flatMap((keep) => [
    ['life of a record', keep, call.acquire(1, 'c', keep)] as const,
    ['life of a record', keep, call.add(1, { keep })] as const,
    ['life of a record', keep, call.drain('c', keep)] as const,
    ['life of a record', keep, call.set(1, 0, 'c', keep)] as const,
    ['life of a record', keep, call.undo('c', keep)] as const,
    ['life of a record', keep, call.countDown('c', keep)] as const,
    ['life of a record', keep, call.close(1, 'c', keep)] as const,
  ]),
  ...KEEPS.filter((keep) => keep !== '0').map(
    (keep) => ['echo of a record', keep, call.forget(keep)] as const,
  ),
  ...['', '0', '-1', '1.5', 'nan', 'inf', '9007199254740992'].map(
    (value) => ['count', value, call.close(value)] as const,
  ),
  ...LEASES.map((lease) => ['lease', lease, permit.acquire(A, lease)] as const),
  ...LEASES.filter((lease) => lease !== '0').map(
    (lease) => ['lease', lease, permit.renew(A, lease)] as const,
  ),
  ['manner', 'lower', permit.renew(A, S10, 'lower')],
  ...IDS.map((id) => ['permit id', id, permit.acquire(id, S10)] as const),
  ...IDS.map((id) => ['permit id', id, permit.release(id)] as const),
  ...IDS.map((id) => ['permit id', id, permit.renew(id, S10)] as const),
  ...IDS.slice(1).map((id) => ['permit id', id, permit.inspect(id)] as const),
  ...COUNTS.map((total) => ['number of permits', total, permit.resize(total)] as const),
])('a %s of "%s" is refused before anything is written (%#)', async (_what, _value, operation) => {
  await permit.putPermits(stage, counter, permit.permits(3, { [A]: -5000 }));
  await put(stage, counter.record('c'), amount('1 2'));
  const before = await dump();
  expect(await send(stage, counter, operation)).toEqual(ERR);
  expect(await dump()).toEqual(before);
});

/** The server as it is, and how it refuses writes and lets them through again. */
const SERVERS = {
  OOM: {
    refuse: () => stage.redis.config('SET', 'maxmemory', '1'),
    allow: () => stage.redis.config('SET', 'maxmemory', '0'),
  },
  READONLY: {
    refuse: () => stage.redis.replicaof('127.0.0.1', '1'),
    allow: () => stage.redis.replicaof('NO', 'ONE'),
  },
};
const TAKING: readonly (readonly [string, Operation])[] = [
  ['acquisition', call.acquire(1)],
  ['drain', call.drain()],
  ['acquisition of a permit', permit.acquire(B, S10)],
];
const GIVING: readonly (readonly [string, Operation, unknown])[] = [
  ['release', call.add(1), [1, 4, 0]],
  ['undo', call.undo(), [0]],
  ['countdown', call.countDown(), [1, 2]],
  ['end of a record', call.forget(), [1]],
  ['release of a permit', permit.release(A), [1, 0]],
  ['deletion', call.remove(), [1]],
];

async function sendTo(kind: keyof typeof SERVERS, operation: Operation): Promise<unknown> {
  await permit.putPermits(stage, counter, permit.permits(3, { [A]: S10 }));
  await SERVERS[kind].refuse();
  try {
    return await send(stage, counter, operation);
  } finally {
    await SERVERS[kind].allow();
  }
}

test.each([
  ...[...TAKING, ...GIVING].map(([what, operation]) => ['READONLY', what, operation] as const),
  ...TAKING.map(([what, operation]) => ['OOM', what, operation] as const),
])('a server that answers %s refuses a whole %s', async (code, _what, operation) => {
  const reply = await sendTo(code, operation);
  expect(reply).toEqual([-1, expect.stringMatching(new RegExp(`^${code} `)), expect.any(String)]);
  expect(await permit.readPermits(stage, counter)).toEqual(permit.permits(3, { [A]: S10 }));
  expect(await stage.redis.exists(counter.record('c'))).toBe(0);
});

test.each(GIVING)(
  'a server that is out of memory still lets a %s happen',
  async (_what, operation, reply) => {
    expect(await sendTo('OOM', operation)).toEqual(reply);
  },
);

test('a user that may not publish gets an error, and its change is made', async () => {
  const { redis } = stage;
  await redis.acl('SETUSER', 'limited', 'reset', 'on', '>secret', '~*', '+@all', 'resetchannels');
  const user = ProtocolStage.open(server.url, { username: 'limited', password: 'secret' });
  expect(await send(user, counter, call.set(3, 0, 'a'))).toEqual([1, 3, -1]);
  expect(await send(user, counter, call.add(1, { call: 'b' }))).toEqual([1, 4, -1]);
  await permit.putPermits(stage, counter, permit.permits(3, { [A]: S10, [B]: -5000 }));
  expect(await send(user, counter, permit.release(A))).toEqual([1, -1]);
  expect(await send(user, counter, permit.inspect())).toEqual([1, 5, 0, -2, -1, '']);
  await redis.set(counter.key, '1');
  expect(await send(user, counter, call.countDown())).toEqual([1, 0]);
  expect(await read(stage, counter.key)).toBe('none');
  await user.close();
});
