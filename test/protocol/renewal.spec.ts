import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type LockState } from './protocol.stage.js';
import {
  acquire,
  forceRelease,
  release,
  renew,
  send,
  sendBatch,
  transfer,
  type Call,
} from './reentrant.calls.js';

const A = '6e38a1f0-0000-4000-8000-000000000001:1';
const B = '6e38a1f0-0000-4000-8000-000000000002:1';
const FREE: LockState = 'free';
const S10 = 10_000;
const S60 = 60_000;
const NONE = -1;
const a = (count: number, ttl: number): LockState => held({ [A]: count }, ttl);
const b = (count: number, ttl: number): LockState => held({ [B]: count }, ttl);

type Row = readonly [name: string, before: LockState, call: Call, reply: unknown, after: LockState];

// prettier-ignore
const ROWS: readonly Row[] = [
  ['raises the lease of a hold', a(1, S10), renew(A, S60), [1], a(1, S60)],
  ['keeps the count', a(3, S10), renew(A, S60), [1], a(3, S60)],
  ['never shortens a lease', a(1, S60), renew(A, S10), [1, S60], a(1, S60)],
  ['gives a lease to a hold that has none', a(1, NONE), renew(A, S10), [1], a(1, S10)],
  ['finds a hold gone, and creates nothing', FREE, renew(A, S10), [0], FREE],
  ['finds a hold gone, and leaves the next holder its own lease', b(1, S10), renew(A, S60), [0], b(1, S10)],
  ['only looks with a lease of 0', a(1, S10), renew(A, 0), [1, S10], a(1, S10)],
  ['only looks with a lease of 0, also where there is none', a(1, NONE), renew(A, 0), [1, NONE], a(1, NONE)],
  ['sees with a lease of 0 that the hold is gone', b(1, S10), renew(A, 0), [0], b(1, S10)],
];

describe.each([2, 3] as const)('a renewal over RESP%i', (protocol) => {
  let stage: ProtocolStage;
  beforeAll(() => {
    stage = ProtocolStage.open(inject('redisUrl'), { protocol });
  });
  afterAll(() => stage.close());

  test.each(ROWS)('%s', async (_name, before, call, reply, after) => {
    const names = stage.names();
    await stage.put(names.lock, before);
    await stage.listen(names.channel);
    expect(coarse(await send(stage, names, call))).toEqual(reply);
    expect(await stage.state(names.lock)).toEqual(after);
    expect(coarse(await send(stage, names, call))).toEqual(reply);
    expect(await stage.state(names.lock)).toEqual(after);
    expect(await stage.messages(names.channel)).toEqual([]);
  });

  test('renews the good ones of a hundred leases, whatever befell the others', async () => {
    const WRONG = [-1, expect.stringMatching(/^WRONGTYPE /), 'string'];
    const fates = [
      { before: a(1, S10), reply: [1], after: a(1, S60) },
      { before: FREE, reply: [0], after: FREE },
      { before: b(1, S10), reply: [0], after: b(1, S10) },
      { before: FREE, cached: 'a value of the cache', reply: WRONG },
    ];
    const all = Array.from({ length: 25 }, () =>
      fates.map((fate) => ({ ...fate, names: stage.names() })),
    ).flat();
    for (const { names, before, cached } of all) {
      await stage.put(names.lock, before);
      if (cached !== undefined) await stage.redis.set(names.lock, cached);
    }
    const replies = await sendBatch(
      stage,
      all.map(({ names }) => [names, renew(A, S60)]),
    );
    expect(coarse(replies)).toEqual(all.map(({ reply }) => reply));
    const locks = all.filter(({ cached }) => cached === undefined);
    expect(await Promise.all(locks.map(({ names }) => stage.state(names.lock)))).toEqual(
      locks.map(({ after }) => after),
    );
  });

  test.each([
    ['a release', release(A, 0, S10), FREE],
    ['a hand-over', transfer(A, B, S10), b(1, S10)],
    ['a forced unlock', forceRelease(), FREE],
  ])('finds the hold gone when it comes after %s', async (_what, ending, after) => {
    const names = stage.names();
    await send(stage, names, acquire(A, S10, 1));
    await send(stage, names, ending);
    expect(await send(stage, names, renew(A, S60))).toEqual([0]);
    expect(await stage.state(names.lock)).toEqual(after);
  });

  test('does not extend the lock of the client that took it after a forced unlock', async () => {
    const names = stage.names();
    await send(stage, names, acquire(A, S10, 1));
    await send(stage, names, forceRelease());
    await send(stage, names, acquire(B, S10, 1));
    expect(await send(stage, names, renew(A, S60))).toEqual([0]);
    expect(await stage.state(names.lock)).toEqual(b(1, S10));
  });

  test('finds the hold gone after its lease has ended', async () => {
    const names = stage.names();
    await send(stage, names, acquire(A, 1, 1));
    await expect.poll(() => stage.redis.exists(names.lock)).toBe(0);
    expect(await send(stage, names, renew(A, S60))).toEqual([0]);
    expect(await stage.state(names.lock)).toBe(FREE);
  });
});
