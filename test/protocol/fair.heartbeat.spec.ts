import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT, FairStage, held, HOLDER, type Fair } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

/** A waits for 20 s in front of J; its process has 10 s left. */
const WAITING: Fair = {
  lock: held(B, S40),
  queue: [
    [A, S60],
    [J, S100],
  ],
  waits: { [A]: S20 },
  alive: { [a]: S10 },
};

describe('a heartbeat', () => {
  test('keeps a process alive whose waiters are in the queue, and publishes nothing', async () => {
    await stage.put(WAITING);
    const { told, after } = await stage.beat(a, { life: S30 });
    expect({ told, after }).toEqual({ told: [], after: { ...WAITING, alive: { [a]: S30 } } });
  });

  test('forgets processes that are silent for good', async () => {
    await stage.put({ ...WAITING, alive: { [a]: S10, [b]: -S10, dead: 0 } });
    expect((await stage.beat(a)).after.alive).toEqual({ [a]: S60 });
  });

  test('notifies the head of a lock that has run out', async () => {
    const { lock: _lock, ...rest } = WAITING;
    await stage.put(rest);
    expect((await stage.beat(a)).told).toEqual([A]);
  });

  test.each([
    ['nobody waits', {}],
    ['only Java waits', { queue: [[J, S100]] as const }],
  ])('leaves no trace where %s', async (_where, before) => {
    await stage.put({ lock: held(B, S40), ...before });
    expect((await stage.beat(a)).after).toEqual({ lock: held(B, S40), ...before });
  });

  test('notifies waiters of ours that Java took out of the queue to queue again, and forgets what they declared', async () => {
    await stage.put({ ...WAITING, waits: { [A]: S20, [A2]: S20, [B]: S20 } });
    const { told, after } = await stage.beat(b);
    expect(told).toEqual([A2, B]);
    expect(after.waits).toEqual({ [A]: S20 });
  });

  test('keeps nothing about our processes once Java took out the last waiter of ours', async () => {
    await stage.put({ lock: held(B, S40), queue: [[J, S60]], waits: { [A]: S20 }, alive: { [a]: S10 } });
    expect((await stage.beat(a)).after).toEqual({ lock: held(B, S40), queue: [[J, S60]] });
  });

  test('keeps the declared waits for as long as the last waiter may be in the queue', async () => {
    await stage.put(WAITING);
    await stage.store.redis.pexpire(stage.waits, 1000);
    await stage.beat(a);
    expect(await stage.store.redis.pttl(stage.waits)).toBeGreaterThan(S100 - S10);
  });
});

describe('a heartbeat that does not name a waiter of its process', () => {
  /** B is between two waiters of process a. */
  const QUEUE: Fair = {
    lock: held(J, S40),
    queue: [
      [A, S60],
      [B, S100],
      [A2, S100 + S20],
    ],
    waits: { [A]: S20, [B]: S40, [A2]: S20 },
    alive: { [a]: S60, [b]: S60 },
  };

  test('takes it out of the queue, with its wait off the times behind it, and notifies the new head', async () => {
    await stage.put(QUEUE);
    const { reply, told, after } = await stage.beat(a, { last: 2, live: [2] });
    expect(reply).toEqual([1, S40, 2]);
    expect(told).toEqual([A, B]);
    expect(after).toEqual({
      ...QUEUE,
      queue: [
        [B, S100 - S20],
        [A2, S100],
      ],
      waits: { [B]: S40, [A2]: S20 },
    });
  });

  test('takes all of them out at once, wherever they are', async () => {
    const { lock: _lock, ...free } = QUEUE;
    await stage.put(free);
    const { told, after } = await stage.beat(a, { last: 2, live: [] });
    expect(told).toEqual([A, A2, B]);
    expect(after).toEqual({ ...free, queue: [[B, S100 - S20]], waits: { [B]: S40 } });
  });

  test('counts once what stands in the queue twice: the wait of the one, and the time of one behind it', async () => {
    const queue = [
      [A, S60],
      [J, S100],
      [A, S60],
      [J, S100],
    ] as const;
    await stage.put({ ...QUEUE, queue, waits: { [A]: S20 } });
    const { after } = await stage.beat(a, { last: 2, live: [2] });
    expect(after.queue).toEqual([
      [J, S100 - S20],
      [J, S100 - S20],
    ]);
  });

  test('takes out one that was probed already', async () => {
    await stage.put({ ...QUEUE, waits: { ...QUEUE.waits, [A]: -S20 } });
    const { after } = await stage.beat(a, { last: 2, live: [2] });
    expect(after.queue?.[0]).toEqual([B, S100 - S20]);
  });

  test('leaves nothing where no other waits', async () => {
    await stage.put({ queue: [[A, S60]], waits: { [A]: S20 }, alive: { [a]: S60 } });
    expect((await stage.beat(a, { last: 1 })).after).toEqual({});
  });

  test.each([
    ['is newer than the heartbeat', 0, []],
    ['is named', 2, [2, 1]],
  ])('leaves it alone where it %s', async (_where, last, live) => {
    await stage.put(QUEUE);
    expect(await stage.beat(a, { last, live })).toMatchObject({ told: [], after: QUEUE });
  });

  test('leaves the waiters of other processes and of Java alone', async () => {
    const queue = [
      [J, S60],
      [B, S100],
    ] as const;
    const before: Fair = { ...QUEUE, queue, waits: { [B]: S40 } };
    await stage.put(before);
    expect(await stage.beat(a, { last: 99 })).toMatchObject({ told: [], after: before });
  });

  test('never frees a lock, whichever id has it', async () => {
    for (const holder of [A, A2, B, J]) {
      await stage.put({ ...QUEUE, lock: held(holder, S40) });
      const { after } = await stage.beat(a, { last: 99 });
      expect(after.lock).toEqual(held(holder, S40));
    }
  });
});

describe('the next heartbeat is due', () => {
  const beatOf = async (before: Fair): Promise<unknown> => {
    await stage.put(before);
    return (await stage.beat(a, { margin: S10 })).reply;
  };

  test('when the lock runs out', async () => {
    expect(await beatOf(WAITING)).toEqual([1, S40, 2]);
  });

  test('when the head has to show that it lives', async () => {
    expect(await beatOf({ ...WAITING, lock: held(B, -1), queue: [[A, S30]] })).toEqual([1, S20, 1]);
  });

  test('when the time of a head is over that was probed already', async () => {
    const asked = { lock: held(B, -1), queue: [[A, S10]] as const, waits: { [A]: -S20 } };
    expect(await beatOf({ ...WAITING, ...asked })).toEqual([1, S10, 1]);
  });

  test('when the process of the head may count as dead', async () => {
    const dying = {
      lock: held(J, S60),
      queue: [[B, S100]] as const,
      waits: { [B]: S40 },
      alive: { [b]: S20 },
    };
    expect(await beatOf(dying)).toEqual([1, S20, 1]);
  });

  test('when the time of a Java head is over', async () => {
    const { lock: _lock, ...rest } = WAITING;
    await stage.put({
      ...rest,
      queue: [
        [J, S40],
        [A, S60],
      ],
    });
    expect((await stage.beat(a)).reply).toEqual([1, S40, 2]);
  });

  test('never, without waiters', async () => {
    expect(await beatOf({ lock: held(B, S40) })).toEqual([1, -1, 0]);
  });
});
