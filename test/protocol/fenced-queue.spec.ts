import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { acquire, counterOf, microseconds, send, wait, type FencedCall } from './fenced.calls.js';
import { coarse, held, ProtocolStage, type Names } from './protocol.stage.js';
import * as plain from './reentrant.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const HELD = 'ffffffff-0000-4000-8000-000000000000:7';
const S10 = 10_000;
const S60 = 60_000;

let stage: ProtocolStage;
let names: Names;
const counters: string[] = [];
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
  counters.push(counterOf(names));
});
afterAll(async () => {
  await stage.redis.del(...counters);
  await stage.close();
});

/** The reply but for its token, and the token. */
async function grant(call: FencedCall): Promise<{ readonly row: unknown; readonly token: bigint }> {
  const reply = await send(stage, names, call);
  return { row: reply.slice(0, 2), token: BigInt(String(reply.at(-1))) };
}

const channelOf = (holder: string) => `${names.channel}:${holder.slice(0, -2)}`;
const storedToken = () => stage.redis.get(counterOf(names));

test('a fenced lock is granted with a token to the process whose turn it is, and its place ends', async () => {
  await grant(acquire(HELD, S60, 1));
  const before = await storedToken();
  expect(coarse(await send(stage, names, wait(A, S10)))).toEqual([0, S60, HELD, 1, 0, 1, 1, '']);
  expect(await storedToken()).toBe(before);
  await plain.send(stage, names, plain.release(HELD, 0, S10));
  const clock = await microseconds(stage);
  const { row, token } = await grant(wait(A, S10));
  expect(row).toEqual([1, 1]);
  expect(token).toBeGreaterThanOrEqual(clock);
  expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S10));
  expect(await stage.redis.exists(names.waiting)).toBe(0);
});

test('a grant whose reply was lost is given again, with a higher token', async () => {
  const first = await grant(wait(A, S10));
  const second = await grant(wait(A, S10));
  expect(second.row).toEqual(first.row);
  expect(second.token).toBeGreaterThan(first.token);
});

test('a free fenced lock is not taken by a first attempt that is ready to wait, and is by one that is not', async () => {
  await grant(acquire(HELD, S60, 1));
  await send(stage, names, wait(A, S10));
  await stage.redis.del(names.lock);
  const before = await storedToken();
  expect(await send(stage, names, acquire(B, S10, 1, 1))).toEqual([3, A]);
  expect(await storedToken()).toBe(before);
  expect((await grant(acquire(B, S10, 1, 0))).row).toEqual([1, 1]);
});

test('the short lease of a turn after that of others comes with a token when its process confirms it', async () => {
  await grant(acquire(HELD, S60, 1));
  const before = BigInt((await storedToken()) ?? '');
  await stage.listen(channelOf(A));
  await send(stage, names, wait(A, S10));
  await stage.redis.del(names.lock);
  // A client that the queue does not know of.
  await stage.listen(names.channel);
  expect(await plain.send(stage, names, plain.pass({ lease: 5000 }))).toEqual([1, A]);
  expect(await storedToken()).toBe(`${before}`);
  const { row, token } = await grant(wait(A, S60));
  expect(row).toEqual([1, 1]);
  expect(token).toBeGreaterThan(before);
  expect(await stage.state(names.lock)).toEqual(held({ [A]: 1 }, S60));
});

test('a release of a fenced lock notifies the process whose turn it is alone', async () => {
  await grant(acquire(HELD, S60, 1));
  await stage.listen(channelOf(A));
  await stage.listen(channelOf(B));
  await send(stage, names, wait(A, S10));
  await send(stage, names, wait(B, S10));
  expect(await plain.send(stage, names, plain.release(HELD, 0, S10))).toEqual([1, 0, A]);
  expect(await stage.messages(channelOf(A))).toContain('come 1');
  expect(await stage.messages(channelOf(B))).not.toContain('come 1');
});
