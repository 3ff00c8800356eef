import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT, FairStage, held, HOLDER, type Answer, type Fair } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];
const alive = { [a]: S60, [b]: S60 };
const margin = S20;

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

/** A lock that is held for longer than anybody wanted to wait. */
const LONG: Fair = {
  lock: held(B, S100),
  queue: [
    [J, S20],
    [A, S20],
    [K, S40],
  ],
  waits: { [A]: S60 },
  alive,
};

describe('a waiter that requests the lock near its time (D21)', () => {
  test('gets its whole wait again, and so does every waiter behind it; none in front does', async () => {
    await stage.put(LONG);
    expect(await stage.acquire(A, S60, { margin })).toEqual({
      reply: [0, S60 - margin, B],
      told: [],
      after: {
        ...LONG,
        queue: [
          [J, S20],
          [A, S60],
          [K, S40 + (S60 - S20)],
        ],
      },
    });
  });

  test('has it past its time, too, while it is not the head', async () => {
    await stage.put({
      ...LONG,
      queue: [
        [J, S20],
        [A, -S10],
      ],
    });
    expect((await stage.acquire(A, S60, { margin })).after.queue).toEqual([
      [J, S20],
      [A, S60],
    ]);
  });

  test('keeps its place as the head, past its time even, because it was here before anybody else could drop it', async () => {
    await stage.put({ ...LONG, queue: [[A, -S10]] });
    expect(await stage.acquire(A, S60, { margin })).toMatchObject({ told: [], after: { queue: [[A, S60]] } });
  });

  test('does so in the last half of a short wait, and sleeps for the first one', async () => {
    await stage.put({
      ...LONG,
      queue: [
        [J, S60],
        [A, S20],
      ],
      waits: { [A]: S20 },
    });
    const { reply, after } = await stage.acquire(A, S20, { margin });
    expect(after.queue).toEqual([
      [J, S60],
      [A, S20],
    ]);
    expect(reply).toEqual([0, S10, B]);
    await stage.put({
      ...LONG,
      queue: [
        [J, S60],
        [A, S10],
      ],
      waits: { [A]: S20 },
    });
    expect((await stage.acquire(A, S20, { margin })).after.queue?.[1]).toEqual([A, S20]);
  });

  test('keeps its time where there is more of it than the margin', async () => {
    await stage.put({
      ...LONG,
      queue: [
        [J, S20],
        [A, S30],
      ],
    });
    expect(await stage.acquire(A, S60, { margin })).toMatchObject({
      reply: [0, S10, B],
      after: {
        queue: [
          [J, S20],
          [A, S30],
        ],
      },
    });
  });

  test('is not renewed, without a margin', async () => {
    await stage.put(LONG);
    expect((await stage.acquire(A, S60)).after).toEqual(LONG);
  });
});

const OPERATIONS: readonly (readonly [string, () => Promise<Answer>])[] = [
  ['a try', () => stage.acquire(`${b}:9`, 0, { margin })],
  ['a partial release', () => stage.release(B, 1, { margin })],
  ['a waiter that leaves', () => stage.release(`${b}:9`, 0, { margin })],
  ['a heartbeat', () => stage.beat(b, { margin })],
];

describe.each(OPERATIONS)('%s that finds a head near its time', (_operation, operate) => {
  const near = (waits: Fair['waits'], time = S10): Fair => ({
    lock: held(B, S100, 2),
    queue: [
      [A, time],
      [J, S30],
    ],
    waits: { ...waits },
    alive,
  });

  test.each([S20, S10, 0, -S10])(
    'probes it once, and gives it the time to answer (%i ms left)',
    async (time) => {
      await stage.put(near({ [A]: S60 }, time));
      const { told, after } = await operate();
      expect(told).toEqual([A]);
      expect(after).toMatchObject({
        queue: [
          [A, margin],
          [J, S30 + margin - time],
        ],
        waits: { [A]: -S60 },
      });
      expect((await operate()).told).toEqual([]);
    },
  );

  test('gives a short wait no more than half of it', async () => {
    await stage.put(near({ [A]: S20 }));
    expect((await operate()).after).toMatchObject({
      queue: [
        [A, S10],
        [J, S30],
      ],
      waits: { [A]: -S20 },
    });
  });

  test('drops it once its time is over and it has not answered, and the times behind stay', async () => {
    await stage.put(near({ [A]: -S60 }, 0));
    const { told, after } = await operate();
    expect(told).toEqual([A, J]);
    expect(after.queue?.[0]).toEqual([J, S30]);
  });

  test('drops one of Java, which cannot be probed', async () => {
    await stage.put({
      ...near({ [A]: S60 }),
      queue: [
        [J, 0],
        [A, S60],
      ],
    });
    expect((await operate()).told).toEqual([J, A]);
  });
});

test('a waiter that was probed answers by requesting the lock', async () => {
  await stage.put({
    ...LONG,
    queue: [
      [A, S20],
      [K, S40],
    ],
    waits: { [A]: -S60 },
  });
  expect((await stage.acquire(A, S60, { margin })).after).toMatchObject({
    queue: [
      [A, S60],
      [K, S40 + S40],
    ],
    waits: { [A]: S60 },
  });
});

test('a waiter that becomes the head by a grant and has no time left is probed at once', async () => {
  const queue = [
    [A, S60],
    [A2, S60 + S10],
    [J, S100],
  ] as const;
  await stage.put({ queue, waits: { [A]: S60, [A2]: S60 }, alive });
  expect(await stage.acquire(A, S60, { margin })).toEqual({
    reply: [1, 1],
    told: [A2],
    after: {
      lock: held(A, S60),
      queue: [
        [A2, margin],
        [J, S100 - S60 + (margin - S10)],
      ],
      waits: { [A2]: -S60 },
      alive,
    },
  });
});

test('a waiter that becomes the head by a grant and has time left gets no message', async () => {
  await stage.put({
    queue: [
      [A, S60],
      [A2, S100],
    ],
    waits: { [A]: S10, [A2]: S60 },
    alive,
  });
  expect((await stage.acquire(A, S10, { margin })).told).toEqual([]);
});

test('a waiter that becomes the head by a grant for less than a second is notified, because it may run out before the next heartbeat', async () => {
  await stage.put({
    queue: [
      [A, S60],
      [J, S100],
    ],
    waits: { [A]: S10 },
    alive,
  });
  expect((await stage.acquire(A, S10, { lease: 999 })).told).toEqual([J]);
  expect((await stage.acquire(A, S10, { lease: 999 })).told).toEqual([]);
});
