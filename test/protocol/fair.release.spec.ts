import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT, FairStage, held, HOLDER, type Fair } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];
const alive = { [a]: S60, [b]: S60 };

/** A waits for 10 s in front of J, A2 for 20 s behind. */
const WAITING: Fair = {
  queue: [
    [A, S40],
    [J, S60],
    [A2, S100],
  ],
  waits: { [A]: S10, [A2]: S20 },
  alive,
};
/** The same after A has left. */
const LEFT: Fair = {
  queue: [
    [J, S60 - S10],
    [A2, S100 - S10],
  ],
  waits: { [A2]: S20 },
  alive,
};

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('a release', () => {
  test('frees the lock and notifies the head, and no other waiter', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    expect(await stage.release(B)).toEqual({ reply: [1, 1], told: [A], after: WAITING });
  });

  test('of a lock without waiters reaches no client', async () => {
    await stage.put({ lock: held(B, S30) });
    expect(await stage.release(B)).toEqual({ reply: [1, 0], told: [], after: {} });
  });

  test('to a count keeps the lock with the lease that it names, and notifies the head only where that is shorter', async () => {
    await stage.put({ lock: held(B, S100, 3), ...WAITING });
    const after = { ...WAITING, lock: held(B, S30, 1) };
    expect(await stage.release(B, 1, { lease: S30 })).toEqual({ reply: [2, 1], told: [A], after });
    await stage.put({ lock: held(B, S30, 3), ...WAITING });
    const longer = { ...WAITING, lock: held(B, S100, 1) };
    expect(await stage.release(B, 1, { lease: S100 })).toEqual({ reply: [2, 1], told: [], after: longer });
  });

  test('to a count that is not below the present one changes nothing', async () => {
    await stage.put({ lock: held(B, S100, 2) });
    expect(await stage.release(B, 2, { lease: S30 })).toEqual({
      reply: [2, 2],
      told: [],
      after: { lock: held(B, S100, 2) },
    });
  });

  test.each([0, 1])('to %i by another holder leaves the holder alone', async (count) => {
    await stage.put({ lock: held(J, S30) });
    expect(await stage.release(B, count)).toEqual({ reply: [0], told: [], after: { lock: held(J, S30) } });
  });

  test.each([0, 1])(
    'to %i finds a lock that has run out, and notifies the head all the same',
    async (count) => {
      await stage.put(WAITING);
      expect(await stage.release(B, count)).toEqual({ reply: [0], told: [A], after: WAITING });
    },
  );

  test('takes a place in the queue, too, that the holder id should not have', async () => {
    await stage.put({ lock: held(A, S30), ...WAITING });
    expect(await stage.release(A)).toEqual({ reply: [1, 1], told: [J], after: LEFT });
  });
});

describe('a waiter that leaves', () => {
  test('as the head of a lock that is held takes its own wait off the times behind (D1), and notifies the new head', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    expect(await stage.release(A)).toEqual({ reply: [0], told: [J], after: { lock: held(B, S30), ...LEFT } });
  });

  test('as the head of a free lock notifies the new head (D2)', async () => {
    await stage.put(WAITING);
    expect(await stage.release(A)).toEqual({ reply: [0], told: [J], after: LEFT });
  });

  test('behind others takes its wait off the times behind it alone, and notifies none', async () => {
    const queue = [
      [J, S40],
      [A, S60],
      [K, S100],
    ] as const;
    await stage.put({ lock: held(B, S30), queue, waits: { [A]: S20 }, alive });
    expect(await stage.release(A)).toEqual({
      reply: [0],
      told: [],
      after: {
        lock: held(B, S30),
        queue: [
          [J, S40],
          [K, S100 - S20],
        ],
      },
    });
  });

  test('behind others of a free lock notifies the head, which may not know of it', async () => {
    await stage.put({ ...WAITING });
    expect((await stage.release(A2)).told).toEqual([A]);
  });

  test('leaves no key without other waiters', async () => {
    await stage.put({ queue: [[A, S40]], waits: { [A]: S10 }, alive });
    expect(await stage.release(A)).toEqual({ reply: [0], told: [], after: {} });
  });

  test('leaves what is kept about others of our processes, and not where only Java waits', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    expect((await stage.release(A2)).after).toMatchObject({ waits: { [A]: S10 }, alive });
    expect((await stage.release(A)).after).toEqual({ lock: held(B, S30), queue: [[J, S60 - S10]] });
  });

  test('takes off as much after it was probed', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING, waits: { [A]: -S10, [A2]: S20 } });
    expect((await stage.release(A)).after.queue).toEqual(LEFT.queue);
  });

  test.each([
    ['its distance from the one in front', [J, S60], S40],
    ['nothing as the head', undefined, 0],
    ['nothing where the one in front has no time', [J], 0],
  ] as const)('takes off %s, should its wait not be known any more', async (_what, front, wait) => {
    const queue: Fair['queue'] = [
      [A, S100],
      [K, S100 + S60],
    ];
    await stage.put({ lock: held(B, S30), queue: front === undefined ? queue : [front, ...queue] });
    expect((await stage.release(A)).after.queue?.at(-1)).toEqual([K, S100 + S60 - wait]);
  });
});

describe('a forced release', () => {
  test('frees the lock whichever client has it, and notifies the head; no waiter loses its place', async () => {
    await stage.put({ lock: held(J, S30, 2), ...WAITING });
    expect(await stage.forceRelease()).toEqual({ reply: [1, 1], told: [A], after: WAITING });
  });

  test('of a lock without a ttl works as well', async () => {
    await stage.put({ lock: held(J, -1) });
    expect(await stage.forceRelease()).toEqual({ reply: [1, 0], told: [], after: {} });
  });

  test('finds a lock free, and notifies the head all the same', async () => {
    await stage.put(WAITING);
    expect(await stage.forceRelease()).toEqual({ reply: [0], told: [A], after: WAITING });
  });
});
