import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { rounded } from '../models/store.dump.js';
import { CLIENT, FairStage, GRAIN, held, HOLDER, type Answer, type Fair } from './fair.stage.js';

const { a } = CLIENT;
const { A, A2, B, J } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('an acquisition whose reply was lost', () => {
  test('is granted the same again, with its full lease from then on', async () => {
    await stage.acquire(A, S40);
    await stage.store.redis.pexpire(stage.lock, S10);
    expect(await stage.acquire(A, S40)).toEqual({ reply: [1, 1], told: [], after: { lock: held(A, S60) } });
  });

  test('is granted the same again also where others wait by now', async () => {
    const before: Fair = {
      lock: held(A, S60),
      queue: [[B, S100]],
      waits: { [B]: S40 },
      alive: { [a]: S60, [CLIENT.b]: S60 },
    };
    await stage.put(before);
    expect(await stage.acquire(A, S40)).toEqual({ reply: [1, 1], told: [], after: before });
  });

  test('takes its wait off the times behind it once', async () => {
    await stage.put({
      queue: [
        [A, S40],
        [J, S100],
      ],
      waits: { [A]: S20 },
      alive: { [a]: S60 },
    });
    await stage.acquire(A, S20);
    expect((await stage.acquire(A, S20)).after).toEqual({ lock: held(A, S60), queue: [[J, S100 - S20]] });
  });

  test('is undone by a release to 0: the next waiter is notified, and nothing else is left', async () => {
    await stage.put({ lock: held(A, S60), queue: [[J, S100]] });
    expect(await stage.release(A)).toEqual({ reply: [1, 1], told: [J], after: { queue: [[J, S100]] } });
    expect(await stage.release(A)).toEqual({ reply: [0], told: [J], after: { queue: [[J, S100]] } });
  });

  test('is undone by a release to 0 also where it only queued, or never ran', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.acquire(A, S40);
    expect((await stage.release(A)).after).toEqual({ lock: held(J, S30) });
    expect((await stage.release(A)).after).toEqual({ lock: held(J, S30) });
  });

  test('leaves a place that its time ends, when it runs after its own undo', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.release(A);
    await stage.acquire(A, S20, { margin: S10 });
    await stage.store.dump.shift(S40);
    expect((await stage.beat(a, { margin: S10 })).told).toEqual([A]);
    await stage.store.dump.shift(S10);
    expect((await stage.beat(a, { margin: S10 })).after).toEqual({});
  });

  test('leaves no place after the next heartbeat of its process, when it runs after its own undo', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.release(A);
    await stage.acquire(A, S20);
    expect((await stage.beat(a, { last: 1 })).after).toEqual({ lock: held(J, S30) });
  });
});

describe('a release whose reply was lost', () => {
  test('finds nothing at its repeat, and leaves the next holder and the queue alone', async () => {
    await stage.put({
      lock: held(A, S60),
      queue: [
        [J, S100],
        [B, S100 + S60],
      ],
      waits: { [B]: S60 },
      alive: { [CLIENT.b]: S60 },
    });
    await stage.release(A);
    const before: Fair = {
      lock: held(J, S60),
      queue: [[B, S100]],
      waits: { [B]: S60 },
      alive: { [CLIENT.b]: S60 },
    };
    await stage.put(before);
    expect(await stage.release(A)).toEqual({ reply: [0], told: [], after: before });
  });

  test('takes a wait off the times behind it once', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [
        [A, S40],
        [B, S100],
      ],
      waits: { [A]: S20, [B]: S60 },
      alive: { [a]: S60, [CLIENT.b]: S60 },
    });
    await stage.release(A);
    expect((await stage.release(A)).after.queue).toEqual([[B, S100 - S20]]);
  });

  test('does not revive a lock when the partial one comes after the final one', async () => {
    await stage.put({ lock: held(A, S60, 2) });
    await stage.release(A);
    expect(await stage.release(A, 1)).toEqual({ reply: [0], told: [], after: {} });
  });
});

test('a repeated heartbeat publishes the same again', async () => {
  await stage.put({
    queue: [
      [A, S40],
      [J, S100],
    ],
    waits: { [A]: S20 },
    alive: { [a]: S10 },
  });
  const first = await stage.beat(a);
  expect(first).toMatchObject({ reply: [1, S40, 2], told: [A] });
  expect(await stage.beat(a)).toEqual(first);
});

describe('a heartbeat that comes late', () => {
  test('leaves the waiters alone that have come since it was sent, and the lock that one of them holds', async () => {
    const before: Fair = {
      lock: held(A2, S30),
      queue: [[`${a}:3`, S60]],
      waits: { [`${a}:3`]: S30 },
      alive: { [a]: S60 },
    };
    await stage.put(before);
    expect((await stage.beat(a, { last: 1 })).after).toEqual(before);
  });

  test('takes nothing away from a waiter that has left since, and has undone its attempt', async () => {
    await stage.put({ lock: held(J, S30) });
    await stage.acquire(A, S40);
    await stage.release(A);
    await stage.acquire(B, S40);
    const { told, after } = await stage.beat(a, { last: 1, live: [1] });
    expect([told, after.queue]).toEqual([[], [[B, S30 + S40]]]);
  });
});

const margin = S10;
const ALPHABET: Readonly<Record<string, () => Promise<Answer>>> = {
  'A waits': () => stage.acquire(A, S40, { margin }),
  'A2 waits': () => stage.acquire(A2, S20, { margin }),
  'B waits': () => stage.acquire(B, S60, { margin }),
  'A tries': () => stage.acquire(A, 0, { margin }),
  'A enters twice': () => stage.acquire(A, S40, { margin, count: 2 }),
  'A goes to 1': () => stage.release(A, 1, { margin }),
  'A ends': () => stage.release(A, 0, { margin }),
  'A2 ends': () => stage.release(A2, 0, { margin }),
  'B ends': () => stage.release(B, 0, { margin }),
  'process a lives': () => stage.beat(a, { margin }),
  'A lives, A2 has left': () => stage.beat(a, { margin, last: 2, live: [1] }),
  'somebody forces it': () => stage.forceRelease({ margin }),
};

/** A Java waiter stands in front of process b, whose last sign of life was long ago. */
const BEFORE: readonly Fair[] = [
  {},
  { lock: held(J, S30) },
  { lock: held(J, S30), queue: [[B, S60]], waits: { [B]: S60 }, alive: { [CLIENT.b]: S60 } },
  {
    queue: [
      [B, S60],
      [J, S100],
    ],
    waits: { [B]: S60 },
    alive: { [CLIENT.b]: -S10 },
  },
];

describe('after any two operations', () => {
  /** Many pairs of operations lead to the same keys with the same times: one pair for each such state. */
  const states = new Map<string, { readonly path: string; readonly enter: () => Promise<void> }>();

  beforeAll(async () => {
    for (const [at, before] of BEFORE.entries())
      for (const [first, one] of Object.entries(ALPHABET))
        for (const [second, two] of Object.entries(ALPHABET)) {
          const enter = async () => {
            await stage.put(before);
            await one();
            await two();
          };
          await enter();
          const state = JSON.stringify(rounded(await stage.store.dump.read(), GRAIN));
          if (!states.has(state)) states.set(state, { path: `${at}: ${first}, ${second}`, enter });
        }
  });

  test.each(Object.entries(ALPHABET))(
    'one holder at most has the lock when "%s", and all is as much when that runs twice',
    async (last, operate) => {
      const faults: string[] = [];
      for (const { path, enter } of states.values()) {
        await enter();
        const { after: once } = await operate();
        const { after: twice } = await operate();
        const sound = Object.keys(once.lock?.counts ?? {}).length <= 1 && once.lost === undefined;
        const waitsToo = Object.keys(once.lock?.counts ?? {}).some((who) =>
          once.queue?.some(([waiter]) => waiter === who),
        );
        if (!sound || waitsToo || !isDeepStrictEqual(once, twice))
          faults.push(`${path}, ${last}: ${JSON.stringify(once)}, then ${JSON.stringify(twice)}`);
      }
      expect(faults).toEqual([]);
    },
  );
});
