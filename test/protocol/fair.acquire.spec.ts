import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT, FairStage, held, HOLDER } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];
const S160 = S100 + S60;
const alive = { [a]: S60, [b]: S60 };

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('an acquisition that waits', () => {
  test('takes a lock without holder and waiters, and leaves no trace of the wait', async () => {
    expect(await stage.acquire(A, S100)).toEqual({ reply: [1, 1], told: [], after: { lock: held(A, S60) } });
  });

  test('takes a free lock as the head, and its wait off all times behind it', async () => {
    await stage.put({
      queue: [
        [A, S20],
        [J, S60],
        [B, S160],
      ],
      waits: { [A]: S10, [B]: S100 },
      alive,
    });
    expect(await stage.acquire(A, S10)).toEqual({
      reply: [1, 1],
      told: [],
      after: {
        lock: held(A, S60),
        queue: [
          [J, S60 - S10],
          [B, S160 - S10],
        ],
        waits: { [B]: S100 },
        alive: { [a]: S60, [b]: S60 },
      },
    });
  });

  test('takes the declared wait off the times of those, too, that have no place', async () => {
    await stage.put({
      queue: [
        [A, S20],
        [J, S60],
      ],
      lost: { [K]: S100 },
    });
    expect((await stage.acquire(A, S10)).after).toEqual({
      lock: held(A, S60),
      queue: [[J, S60 - S10]],
      lost: { [K]: S100 - S10 },
    });
  });

  test('takes off what was declared, should a later attempt say something else', async () => {
    await stage.put({
      queue: [
        [A, S20],
        [J, S60],
      ],
      waits: { [A]: S10 },
      alive,
    });
    expect((await stage.acquire(A, S40)).after.queue).toEqual([[J, S60 - S10]]);
  });

  test('does not take a free lock past the head, and goes to the end', async () => {
    await stage.put({ queue: [[J, S60]] });
    expect(await stage.acquire(A, S40)).toEqual({
      reply: [0, S100, J],
      told: [],
      after: {
        queue: [
          [J, S60],
          [A, S100],
        ],
        waits: { [A]: S40 },
        alive: { [a]: S60 },
      },
    });
  });

  test('finds that it has lost a free lock where it names a count above 1', async () => {
    expect(await stage.acquire(A, S40, { count: 2 })).toEqual({ reply: [2], told: [], after: {} });
  });

  test('raises the count of the holder to the one that it names, and adds no waiter to the queue', async () => {
    await stage.put({ lock: held(A, S30) });
    expect(await stage.acquire(A, S40, { count: 3 })).toEqual({
      reply: [1, 3],
      told: [],
      after: { lock: held(A, S60, 3) },
    });
    expect((await stage.acquire(A, S40, { count: 2 })).reply).toEqual([1, 3]);
  });

  test('never shortens the lease (D28)', async () => {
    await stage.put({ lock: held(A, S100) });
    expect((await stage.acquire(A, S40, { count: 2, lease: S10 })).after.lock).toEqual(held(A, S100, 2));
  });

  test('does not queue where it names a count that it cannot have', async () => {
    await stage.put({ lock: held(J, S30) });
    expect(await stage.acquire(A, S40, { count: 2 })).toEqual({
      reply: [0, S30, J],
      told: [],
      after: { lock: held(J, S30) },
    });
  });

  test('keeps the place and the time that it has', async () => {
    const before = {
      lock: held(J, S30),
      queue: [
        [K, S60],
        [A, S100],
      ] as const,
      waits: { [A]: S40 },
      alive: { [a]: S60 },
    };
    await stage.put(before);
    expect(await stage.acquire(A, S40)).toEqual({ reply: [0, S100, J], told: [], after: before });
  });

  test('declares its wait again, should that be lost', async () => {
    await stage.put({ lock: held(J, S30), queue: [[A, S60]] });
    expect((await stage.acquire(A, S40)).after).toEqual({
      lock: held(J, S30),
      queue: [[A, S60]],
      waits: { [A]: S40 },
      alive: { [a]: S60 },
    });
  });
});

describe('a new place', () => {
  test('ends its own wait after the lease, for the first in the queue', async () => {
    await stage.put({ lock: held(J, S30) });
    expect(await stage.acquire(A, S40)).toEqual({
      reply: [0, S30, J],
      told: [],
      after: { lock: held(J, S30), queue: [[A, S30 + S40]], waits: { [A]: S40 }, alive: { [a]: S60 } },
    });
  });

  test('ends its own wait after that of the last in the queue', async () => {
    await stage.put({ lock: held(J, S30), queue: [[K, S60]] });
    expect((await stage.acquire(A, S40)).after.queue).toEqual([
      [K, S60],
      [A, S60 + S40],
    ]);
  });

  test('ends its own wait after the lease, where the last one has no time', async () => {
    await stage.put({ lock: held(J, S30), queue: [[K, S60], [B]] });
    expect((await stage.acquire(A, S40)).after.queue).toEqual([[K, S60], [B], [A, S30 + S40]]);
  });

  test.each([
    ['a lock without a ttl', { lock: held(J, -1) }, S40],
    [
      'a last one that is past its time',
      {
        lock: held(J, S30),
        queue: [
          [B, S60],
          [K, -S60],
        ] as const,
      },
      S40,
    ],
  ])('ends no sooner than its own wait from now, behind %s', async (_what, before, time) => {
    await stage.put(before);
    expect((await stage.acquire(A, S40)).after.queue?.at(-1)).toEqual([A, time]);
  });

  test('is given to each holder of a process, and the process lives once', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.acquire(A, S40);
    expect((await stage.acquire(A2, S20)).after).toEqual({
      lock: held(J, S30),
      queue: [
        [A, S30 + S40],
        [A2, S30 + S40 + S20],
      ],
      waits: { [A]: S40, [A2]: S20 },
      alive: { [a]: S60 },
    });
  });

  test('keeps the declared waits until the last time, and the signs of life no longer than they count', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.acquire(A, S100, { life: S20 });
    const ttls = [stage.lock, stage.queue, stage.timeout, stage.waits, stage.alive].map((key) =>
      stage.store.redis.pttl(key),
    );
    const rounded = (await Promise.all(ttls)).map((ttl) => (ttl < 0 ? ttl : Math.ceil(ttl / S10) * S10));
    expect(rounded).toEqual([S30, -1, -1, S30 + S100, S20]);
  });
});

describe('the sleep time in the answer', () => {
  test.each([
    ['the head, until the lock runs out', [[A, S100]], S30],
    ['the head, until its time where that comes first', [[A, S20]], S20],
    [
      'anybody else, until its time',
      [
        [J, S60],
        [A, S100],
      ],
      S100,
    ],
  ] as const)('to %s', async (_whom, queue, sleep) => {
    await stage.put({ lock: held(J, S30), queue, waits: { [A]: S40 }, alive });
    expect((await stage.acquire(A, S40)).reply).toEqual([0, sleep, J]);
  });

  test('to the head of a lock without a ttl has no end (D4)', async () => {
    await stage.put({ lock: held(J, -1), queue: [[A, S100]], waits: { [A]: S40 }, alive });
    expect((await stage.acquire(A, S40)).reply).toEqual([0, -1, J]);
  });

  test('to a waiter that is not the head while the lock is free is never 0 (D3), not even past its time', async () => {
    const queue = [
      [J, S60],
      [A, -S10],
    ] as const;
    await stage.put({ queue, waits: { [A]: S40 }, alive });
    expect((await stage.acquire(A, S40)).reply).toEqual([0, 1, J]);
  });
});

describe('an acquisition that only tries', () => {
  test('takes a free lock without waiters', async () => {
    expect(await stage.acquire(A, 0)).toEqual({ reply: [1, 1], told: [], after: { lock: held(A, S60) } });
  });

  test('raises the count of the holder', async () => {
    await stage.put({ lock: held(A, S30), queue: [[J, S60]] });
    expect((await stage.acquire(A, 0, { count: 2 })).after).toEqual({
      lock: held(A, S60, 2),
      queue: [[J, S60]],
    });
  });

  test.each([
    ['a held lock', { lock: held(J, S30) }, [0, S30, J]],
    ['a lock without a ttl', { lock: held(J, -1) }, [0, -1, J]],
    ['a free lock that another one waits for', { queue: [[K, S60]] as const }, [0, 0, K]],
  ])('is refused at %s, and leaves no trace', async (_what, before, reply) => {
    await stage.put(before);
    expect(await stage.acquire(A, 0)).toEqual({ reply, told: [], after: before });
  });

  test('is served with the wait that was declared, should the holder wait already', async () => {
    await stage.put({
      queue: [
        [A, S40],
        [J, S100],
      ],
      waits: { [A]: S20 },
      alive,
    });
    expect((await stage.acquire(A, 0)).after).toEqual({ lock: held(A, S60), queue: [[J, S100 - S20]] });
  });
});
