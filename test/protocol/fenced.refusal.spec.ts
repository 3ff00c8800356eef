import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { acquire, counterOf, readTokens, send, transfer, wait } from './fenced.calls.js';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import * as plain from './reentrant.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000001:2';
const S10 = 10_000;
const S60 = 60_000;
const GRANTS = [
  ['an acquisition', acquire(A, S10, 1)],
  ['a re-entry', acquire(A, S60, 3)],
  ['a hand-over', transfer(A, B, S60)],
  ['a request in its turn', wait(A, S60)],
] as const;
const ERR = [-1, expect.stringMatching(/^ERR /), expect.any(String)];

let stage: ProtocolStage;
let names: Names;
let counter: string;
const counters: string[] = [];
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
  counter = counterOf(names);
  counters.push(counter);
});
afterAll(async () => {
  await stage.redis.del(...counters);
  await stage.close();
});

describe.each(GRANTS)('%s is refused, and nothing is written,', (_what, call) => {
  // prettier-ignore
  test.each([
    '', 'x', '1.5', '1e3', '007', ' 1', '-0', '--1', '0x10', 'nan', 'inf',
    '9223372036854775807', '18446744073709551616', '-',
  ])('by a counter of "%s", which cannot be raised', async (stored) => {
    await stage.put(names.lock, held({ [A]: 2 }, S10));
    await stage.redis.set(counter, stored);
    expect(await send(stage, names, call)).toEqual(ERR);
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 2 }, S10));
    expect(await stage.redis.get(counter)).toBe(stored);
  });

  test('by a counter of another type, which it names', async () => {
    await stage.put(names.lock, held({ [A]: 2 }, S10));
    await stage.redis.hset(counter, 'field', '1');
    const [, message] = await send(stage, names, call);
    expect(message).toContain(`ERR ${counter} is no fencing token`);
    expect(await stage.state(names.lock)).toEqual(held({ [A]: 2 }, S10));
  });

  test('by a lock of another type', async () => {
    await stage.redis.set(names.lock, 'a value of the cache');
    await stage.redis.set(counter, '5');
    expect(await send(stage, names, call)).toEqual([-1, expect.stringMatching(/^WRONGTYPE /), 'string']);
    expect(await stage.redis.get(counter)).toBe('5');
  });
});

test.each([
  ...['', '0', '1.5', 'nan', '1e30'].flatMap((lease) => [
    acquire(A, lease, 2),
    transfer(A, B, lease),
    wait(A, lease),
  ]),
  ...['', '0', '-1', '1.5', 'inf'].map((count) => acquire(A, S10, count)),
  transfer(A, A, S10),
])('a call with $args is refused, and costs no token', async (call) => {
  await stage.put(names.lock, held({ [A]: 2 }, S60));
  await stage.redis.set(counter, '5');
  expect(await send(stage, names, call)).toEqual(ERR);
  expect(await stage.state(names.lock)).toEqual(held({ [A]: 2 }, S60));
  expect(await stage.redis.get(counter)).toBe('5');
});

test('a counter of another type is named in the error of its reader', async () => {
  await stage.redis.hset(counter, 'field', '1');
  expect(await readTokens(stage, [names])).toEqual([[-1, expect.stringMatching(/^WRONGTYPE /), 'hash']]);
});

test.each([
  ['a partial release', plain.release(A, 1, S10)],
  ['a final release', plain.release(A, 0, S10)],
  ['a forced unlock', plain.forceRelease()],
  ['a renewal', plain.renew(A, S60)],
  ['a look', plain.inspect(A)],
  ['a plain acquisition', plain.acquire(A, S60, 3)],
])('%s leaves the token alone', async (_what, call) => {
  await stage.put(names.lock, held({ [A]: 2 }, S10));
  await stage.redis.set(counter, '5');
  await plain.send(stage, names, call);
  expect(await stage.redis.get(counter)).toBe('5');
  await plain.send(stage, names, call);
  expect(await stage.redis.get(counter)).toBe('5');
});

describe('a server that is out of memory', () => {
  let server: RunningRedis;
  let full: ProtocolStage;
  beforeAll(async () => {
    server = await startRedis();
    full = ProtocolStage.open(server.url);
  });
  afterAll(async () => {
    await full.close();
    await server.stop();
  });

  test('refuses a grant as a whole, and still permits a hand-off', async () => {
    await full.put(names.lock, held({ [A]: 1 }, S10));
    const other = stage.names();
    await full.redis.config('SET', 'maxmemory', '1');
    const refused = [-1, expect.stringMatching(/^OOM /), expect.any(String)];
    expect(await send(full, other, acquire(A, S10, 1))).toEqual(refused);
    expect(await send(full, names, acquire(A, 5000, 1))).toEqual(refused);
    expect(await full.redis.exists(counter, counterOf(other), other.lock)).toBe(0);
    expect(await send(full, names, transfer(A, B, S60))).toEqual([1, expect.stringMatching(/^\d{16}$/)]);
    expect(await full.state(names.lock)).toEqual(held({ [B]: 1 }, S60));
  });
});
