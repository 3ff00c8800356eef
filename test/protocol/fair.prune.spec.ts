import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { CLIENT, FairStage, held, HOLDER, type Answer, type Fair } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];
const alive = { [a]: S60, [b]: S60 };

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

/** Every operation that looks at the queue, as somebody makes it who does not stand in it. */
const OPERATIONS: readonly (readonly [string, () => Promise<Answer>])[] = [
  ['a try', () => stage.acquire(`${b}:9`, 0)],
  ['a new waiter', () => stage.acquire(`${b}:9`, S10)],
  ['a re-entry', () => stage.acquire(B, S10, { count: 2 })],
  ['a partial release', () => stage.release(B, 1)],
  ['a waiter that leaves', () => stage.release(`${b}:9`)],
  ['a heartbeat', () => stage.beat(b)],
];

describe.each(OPERATIONS)('%s', (_operation, operate) => {
  test('drops heads that are past their time, whose neighbours keep theirs; it notifies them, and the new head', async () => {
    await stage.put({
      lock: held(B, S30, 2),
      queue: [
        [J, -S10],
        [K, 0],
        [A, S40],
        [A2, S60],
      ],
      waits: { [A]: S10, [A2]: S20 },
      alive,
    });
    const { told, after } = await operate();
    expect(told).toEqual([J, K, A]);
    expect(after.queue?.slice(0, 2)).toEqual([
      [A, S40],
      [A2, S60],
    ]);
    expect(after).not.toHaveProperty('lost');
  });

  test('does not check behind the first head that has time left', async () => {
    const queue = [
      [J, S40],
      [K, -S10],
      [A, S100],
    ] as const;
    await stage.put({ lock: held(B, S30, 2), queue, waits: { [A]: S10 }, alive });
    const { told, after } = await operate();
    expect(told).toEqual([]);
    expect(after.queue?.slice(0, 3)).toEqual(queue);
  });

  test('drops a head without a time (D5), wherever else it stands', async () => {
    await stage.put({ lock: held(B, S30, 2), queue: [[J], [J], [A, S60], [J]], waits: { [A]: S10 }, alive });
    const { told, after } = await operate();
    expect(told).toEqual([J, A]);
    expect(after.queue?.[0]).toEqual([A, S60]);
    expect(after.queue?.map(([holder]) => holder)).not.toContain(J);
  });

  test('lets a head of ours whose process is silent leave, with its wait off the times behind', async () => {
    await stage.put({
      lock: held(B, S30, 2),
      queue: [
        [A, S40],
        [A2, S60],
        [J, S100],
      ],
      waits: { [A]: S10, [A2]: S20 },
      alive: { [b]: S60 },
    });
    const { told, after } = await operate();
    expect(told).toEqual([A, A2, J]);
    expect(after.queue?.[0]).toEqual([J, S100 - S10 - S20]);
    expect(after.waits ?? {}).not.toHaveProperty(A);
  });
});

test('a host that is gone with two thousand waiters does not keep the server busy', async () => {
  const dead = Array.from({ length: 2000 }, (_, index) => `dead:${index + 1}`);
  await stage.put({
    lock: held(J, S30),
    queue: [...dead.map((holder) => [holder, S60] as const), [A, S100 * 1000]],
    waits: { ...Object.fromEntries(dead.map((holder) => [holder, S20])), [A]: S20 },
    alive,
  });
  const began = performance.now();
  const { after } = await stage.beat(a, { last: 1, live: [1] });
  // One pass over the queue for each of them takes seconds, in which the server answers nobody else.
  expect(performance.now() - began).toBeLessThan(scaled(1000));
  expect(after).toEqual({
    lock: held(J, S30),
    queue: [[A, S100 * 1000 - 2000 * S20]],
    waits: { [A]: S20 },
    alive: { [a]: S60, [b]: S60 },
  });
});

describe('a head', () => {
  test('whose process was silent for exactly as long as it may be is let go', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [[A, S40]],
      waits: { [A]: S10 },
      alive: { [a]: 0, [b]: S60 },
    });
    expect((await stage.forceRelease()).after).toEqual({});
  });

  test('of Java is never taken for dead: nothing was declared for it', async () => {
    await stage.put({
      queue: [
        [J, S40],
        [A, S60],
      ],
      waits: { [A]: S10 },
      alive: { [a]: -S10 },
    });
    expect((await stage.beat(b)).after.queue?.[0]).toEqual([J, S40]);
  });

  test('that makes a request itself is never taken for dead, and neither are its neighbours', async () => {
    const queue = [
      [A2, S40],
      [A, S60],
    ] as const;
    await stage.put({ lock: held(J, S30), queue, waits: { [A]: S20, [A2]: S20 }, alive: { [a]: -S10 } });
    const { told, after } = await stage.acquire(A, S20);
    expect(told).toEqual([]);
    expect(after).toMatchObject({ queue, alive: { [a]: S60 } });
  });
});

test('a call that does not wait is no sign of life for the waiters of its process', async () => {
  const waiting: Fair = { queue: [[A, S40]], waits: { [A]: S20 } };
  await stage.put({ ...waiting, lock: held(J, S30), alive: { [a]: S10 } });
  expect((await stage.acquire(A2, 0)).after.alive).toEqual({ [a]: S10 });
  await stage.put({ ...waiting, alive: { [a]: -S10 } });
  expect(await stage.acquire(A2, 0)).toEqual({ reply: [1, 1], told: [A], after: { lock: held(A2, S60) } });
});

test('a dead head in front of a requester is no reason to wait', async () => {
  await stage.put({
    queue: [
      [B, S40],
      [A, S60],
    ],
    waits: { [A]: S10, [B]: S20 },
    alive: { [a]: S60 },
  });
  expect(await stage.acquire(A, S10)).toEqual({ reply: [1, 1], told: [B], after: { lock: held(A, S60) } });
});

test('a dead head of a lock that is released is not notified', async () => {
  await stage.put({
    lock: held(J, S30),
    queue: [
      [B, S40],
      [A, S60],
    ],
    waits: { [A]: S10, [B]: S20 },
    alive: { [a]: S60 },
  });
  expect(await stage.release(J)).toEqual({
    reply: [1, 1],
    told: [B, A],
    after: { queue: [[A, S40]], waits: { [A]: S10 }, alive: { [a]: S60 } },
  });
});

describe('a waiter', () => {
  test('with a time and no place goes to the end, with a new time', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [[K, S60]],
      lost: { [A]: S10 },
      waits: { [A]: S20 },
      alive,
    });
    expect((await stage.acquire(A, S20)).after.queue).toEqual([
      [K, S60],
      [A, S60 + S20],
    ]);
  });

  test('with a place and no time goes to the end, once', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [[K, S60], [A], [B, S100]],
      waits: { [A]: S20, [B]: S40 },
      alive,
    });
    expect((await stage.acquire(A, S20)).after.queue).toEqual([
      [K, S60],
      [B, S100],
      [A, S100 + S20],
    ]);
  });

  test('that stands in the queue twice is granted once', async () => {
    await stage.put({
      queue: [
        [A, S40],
        [K, S60],
        [A, S40],
      ],
      waits: { [A]: S20 },
      alive,
    });
    expect((await stage.acquire(A, S20)).after).toEqual({ lock: held(A, S60), queue: [[K, S40]] });
  });

  test('that stands in the queue twice loses the wait of one that leaves once', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [
        [A, S40],
        [K, S60],
        [B, S100],
        [K, S60],
      ],
      waits: { [A]: S20 },
      alive,
    });
    expect((await stage.release(A)).after.queue).toEqual([
      [K, S40],
      [B, S100 - S20],
      [K, S40],
    ]);
  });
});

describe('when the last one has left the queue', () => {
  test('times of those that have no place are gone as well', async () => {
    await stage.put({ lock: held(J, S30), lost: { [K]: S60 } });
    expect((await stage.release(J)).after).toEqual({});
  });

  test('waiters of ours that Java took out are notified to queue again', async () => {
    await stage.put({ lock: held(J, S30), waits: { [A]: S20, [B]: S20 }, alive });
    expect(await stage.release(J)).toEqual({ reply: [1, 0], told: [A, B], after: {} });
  });
});
