import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { Random } from '../support/random.js';
import { until } from '../support/until.js';
import { counterOf, play, send, sweep, type Counter, type Operation } from './counter.stage.js';
import { acquire, inspect, permits, putPermits, readPermits, release, renew } from './permit.calls.js';
import { ProtocolStage } from './protocol.stage.js';

const A = '00ff80c3e28280fe0a0d25005c7f81ff';
const B = 'ffffffffffffffffffffffffffffffff';
const S10 = 10_000;
const OVER = -5000;

let stage: ProtocolStage;
let counter: Counter;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  counter = counterOf(stage.names().lock);
});
afterEach(() => sweep(stage, counter));
afterAll(() => stage.close());

const newPermit = () => randomBytes(16).toString('hex');

test('a permit is available again as soon as its lease is over by the clock of the store', async () => {
  await putPermits(stage, counter, permits(1));
  const lease = 60;
  const began = await stage.now();
  expect(await send(stage, counter, acquire(A, lease))).toEqual([1, 1, 0]);
  const [, left] = (await send(stage, counter, acquire(B, S10))) as [number, number];
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(lease);
  await until(
    'the permit is over',
    async () => ((await send(stage, counter, acquire(B, S10))) as number[])[0] === 1,
  );
  expect((await stage.now()) - began).toBeGreaterThanOrEqual(lease);
  expect(await send(stage, counter, renew(A, S10))).toEqual([0]);
  expect(await send(stage, counter, release(A))).toEqual([0]);
  expect(await readPermits(stage, counter)).toEqual(permits(0, { [B]: S10 }));
});

test('20,000 permits whose leases are over are taken back at once, and published once (D27)', async () => {
  await putPermits(stage, counter, permits(-1, { [A]: 60_000 }));
  const score = (await stage.now()) + OVER;
  for (let i = 0; i < 20; i += 1) {
    const members = Array.from({ length: 1000 }, () => [score, randomBytes(16)]).flat();
    await stage.redis.zadd(counter.timeout, ...members);
  }
  await stage.listen(counter.semaphoreChannel);
  expect(await send(stage, counter, acquire(B, S10))).toEqual([1, 1, 19_998]);
  expect(await readPermits(stage, counter)).toEqual(permits(19_998, { [B]: S10, [A]: 60_000 }));
  expect(await stage.messages(counter.semaphoreChannel)).toEqual(['19999']);
});

test.each([4999, 5000, 5001, 10_000])('%i of them are taken back, too', async (count) => {
  await putPermits(stage, counter, permits(0));
  const score = (await stage.now()) + OVER;
  await stage.redis.zadd(
    counter.timeout,
    ...Array.from({ length: count }, () => [score, randomBytes(16)]).flat(),
  );
  expect(await send(stage, counter, inspect())).toEqual([1, count, 0, -2, -1, '']);
});

test('an acquisition whose reply was lost is undone by a release, which leaves nothing', async () => {
  await putPermits(stage, counter, permits(2));
  expect(await play(stage, counter, acquire(A, S10), acquire(A, S10), release(A), release(A))).toEqual([
    [1, 1, 1],
    [1, 1, 1],
    [1, 0],
    [0],
  ]);
  expect(await readPermits(stage, counter)).toEqual(permits(2));
});

test('a release whose reply was lost leaves the permits of others alone at its repeat', async () => {
  await putPermits(stage, counter, permits(1));
  await play(stage, counter, acquire(A, S10), release(A), acquire(B, S10), release(A));
  expect(await readPermits(stage, counter)).toEqual(permits(0, { [B]: S10 }));
});

test('no permit is made or lost, whatever is repeated, renewed, or over', async () => {
  const random = new Random();
  const total = 5;
  await putPermits(stage, counter, permits(total));
  const taken: string[] = [];
  for (let step = 0; step < 400; step += 1) {
    const permit = taken[random.below(taken.length + 1)] ?? newPermit();
    const calls: readonly Operation[] = [
      acquire(permit, 1 + random.below(40)),
      acquire(permit, S10),
      release(permit),
      renew(permit, random.below(40)),
      inspect(permit),
    ];
    const operation = calls[random.below(calls.length)] ?? inspect();
    await play(stage, counter, ...Array.from({ length: 1 + random.below(2) }, () => operation));
    taken.push(permit);
    if (taken.length > 8) taken.shift();
    const [, available, out] = (await send(stage, counter, inspect())) as [number, number, number];
    expect(available + out, `FAULT_SEED=${random.seed}, step ${step}`).toBe(total);
    expect(available).toBeGreaterThanOrEqual(0);
  }
});
