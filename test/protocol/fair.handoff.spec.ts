import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { CLIENT, FairStage, held, HOLDER, type Fair } from './fair.stage.js';

const { a, b } = CLIENT;
const { A, A2, B, J, K } = HOLDER;
const [S10, S20, S30, S40, S60, S100] = [10_000, 20_000, 30_000, 40_000, 60_000, 100_000];
const alive = { [a]: S60, [b]: S60 };

/** A waits for 20 s in front of J, and takes a gift of 10 s. */
const WAITING: Fair = {
  queue: [
    [A, S60],
    [J, S100],
  ],
  waits: { [A]: '20000:10000' },
  alive,
};

let stage: FairStage;
beforeAll(async () => {
  stage = await FairStage.open(inject('redisUrl'));
});
beforeEach(() => stage.clear());
afterAll(() => stage.close());

describe('a release', () => {
  test('makes the head the holder with the lease that it takes, its wait off all times, and notifies it', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    expect(await stage.release(B)).toEqual({
      reply: [1, 1],
      told: [`${A} 2`],
      after: { lock: held(A, S10), queue: [[J, S100 - S20]] },
    });
  });

  test('leaves no key of the queue without further waiters', async () => {
    await stage.put({ lock: held(B, S30), queue: [[A, S60]], waits: { [A]: '20000:10000' }, alive });
    expect(await stage.release(B)).toMatchObject({ told: [`${A} 2`], after: { lock: held(A, S10) } });
    expect((await stage.look()).alive).toBeUndefined();
  });

  test('that is sent twice hands off once', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    const { after } = await stage.release(B);
    expect(await stage.release(B)).toEqual({ reply: [0], told: [], after });
  });

  test.each([
    ['of Java', { queue: [[J, S60]], waits: {}, alive: {} }, J],
    ['that comes for it', { queue: [[A, S60]], waits: { [A]: S20 }, alive }, A],
    ['that is asked whether it lives', { queue: [[A, S60]], waits: { [A]: '-20000:10000' }, alive }, A],
  ] as const)('only notifies a head %s', async (_who, rest, told) => {
    await stage.put({ lock: held(B, S30), ...rest });
    const { queue } = await stage.look();
    expect(await stage.release(B)).toMatchObject({ reply: [1, 1], told: [told], after: { queue } });
    expect((await stage.look()).lock).toBeUndefined();
  });

  test.each([0, 1])(
    'to %i of a lock that it does not hold only notifies the head: it has freed nothing',
    async (count) => {
      await stage.put(WAITING);
      expect(await stage.release(B, count)).toEqual({ reply: [0], told: [A], after: WAITING });
    },
  );

  test('to a count hands nothing off', async () => {
    await stage.put({ lock: held(B, S30, 2), ...WAITING });
    const after = { ...WAITING, lock: held(B, S60, 1) };
    expect(await stage.release(B, 1)).toEqual({ reply: [2, 1], told: [], after });
  });

  test('passes a dead head over, and hands off to the waiter behind it', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [
        [A, S40],
        [B, S60],
      ],
      waits: { [A]: '20000:10000', [B]: '20000:10000' },
      alive: { [b]: S60 },
    });
    expect(await stage.release(J)).toEqual({
      reply: [1, 1],
      told: [A, `${B} 2`],
      after: { lock: held(B, S10) },
    });
  });

  test('probes the new head at once where it has to show that it lives', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [
        [A, S30],
        [B, S30 + S20],
      ],
      waits: { [A]: '20000:10000', [B]: '60000:10000' },
      alive,
    });
    const { told, after } = await stage.release(J, 0, { margin: S60 });
    expect(told).toEqual([`${A} 2`, B]);
    expect(after.waits).toEqual({ [B]: '-60000:10000' });
  });

  test('for less than a second also notifies the new head, because it may run out before the next heartbeat', async () => {
    await stage.put({
      lock: held(J, S30),
      queue: [
        [A, S60],
        [K, S100],
      ],
      waits: { [A]: '20000:999' },
      alive,
    });
    expect((await stage.release(J)).told).toEqual([`${A} 2`, K]);
  });

  test.each(['0', '60001', 'text', '20000:', '20000:0', '20000:60001', '20000:1:1', ':', '::', ''])(
    'hands nothing off to a head whose declaration is "%s"',
    async (text) => {
      await stage.put({ lock: held(B, S30), queue: [[A, S60]], waits: { [A]: text }, alive });
      const { reply, told } = await stage.release(B);
      expect({ reply, told }).toEqual({ reply: [1, 1], told: [A] });
      expect((await stage.look()).lock).toBeUndefined();
    },
  );

  test('hands nothing off to a waiter that is not subscribed on this server, whatever others are, and publishes no hand-off', async () => {
    const deaf = await FairStage.open(inject('redisUrl'));
    // A pattern hears all, as the bus of a cluster carries a message to other nodes.
    await deaf.store.redis.unsubscribe();
    await deaf.store.redis.psubscribe(`*${deaf.lock}*`);
    await deaf.put({ lock: held(B, S30), ...WAITING });
    expect(await deaf.release(B)).toEqual({ reply: [1, 1], told: [A], after: WAITING });
    await deaf.close();
  });
});

describe('a release that hands the lock off in its process', () => {
  const OWN = { own: S60 };
  /** A holds it; A2, of the same process, waits for 20 s in front of J, and takes a gift of 10 s. */
  const HANDING: Fair = {
    lock: held(A, S30),
    queue: [
      [A2, S60],
      [J, S100],
    ],
    waits: { [A2]: '20000:10000' },
    alive,
  };

  test('makes the head the holder with the lease of its own, its wait off all times, and reports it by its answer only', async () => {
    await stage.put(HANDING);
    expect(await stage.release(A, 0, OWN)).toEqual({
      reply: [1, 0, A2],
      told: [],
      after: { lock: held(A2, S60), queue: [[J, S100 - S20]] },
    });
  });

  test('needs no subscriber', async () => {
    const deaf = await FairStage.open(inject('redisUrl'));
    await deaf.store.redis.unsubscribe();
    await deaf.put(HANDING);
    expect(await deaf.release(A, 0, OWN)).toMatchObject({
      reply: [1, 0, A2],
      after: { lock: held(A2, S60) },
    });
    await deaf.close();
  });

  test('hands it off once, however often it is sent', async () => {
    await stage.put(HANDING);
    const { after } = await stage.release(A, 0, OWN);
    expect(await stage.release(A, 0, OWN)).toEqual({ reply: [0], told: [], after });
  });

  test('hands it off to a head of another process as ever: with a message, and with the lease that it takes', async () => {
    await stage.put({ ...HANDING, queue: [[B, S60]], waits: { [B]: '20000:10000' } });
    expect(await stage.release(A, 0, OWN)).toMatchObject({
      reply: [1, 1],
      told: [`${B} 2`],
      after: { lock: held(B, S10) },
    });
  });

  test('does not take a longer name for its own', async () => {
    const longer = `${a}0:1`;
    await stage.put({
      lock: held(A, S30),
      queue: [[longer, S60]],
      waits: { [longer]: '20000:10000' },
      alive: { [`${a}0`]: S60 },
    });
    expect(await stage.release(A, 0, OWN)).toMatchObject({ reply: [1, 0], told: [] });
    expect((await stage.look()).lock).toBeUndefined();
  });

  test.each([
    ['that comes for it', { [A2]: S20 }],
    ['that is asked whether it lives', { [A2]: '-20000:10000' }],
    ['of Java, which looks like one of its own', {}],
  ])('only notifies a head %s', async (_who, waits) => {
    await stage.put({ lock: held(A, S30), queue: [[A2, S60]], waits, alive });
    expect(await stage.release(A, 0, OWN)).toMatchObject({ reply: [1, 1], told: [A2] });
    expect((await stage.look()).lock).toBeUndefined();
  });

  test('probes the new head at once where it has to show that it lives', async () => {
    await stage.put({
      lock: held(A, S30),
      queue: [
        [A2, S30],
        [B, S30 + S20],
      ],
      waits: { [A2]: '20000:10000', [B]: '60000:10000' },
      alive,
    });
    const { reply, told, after } = await stage.release(A, 0, { ...OWN, margin: S60 });
    expect({ reply, told }).toEqual({ reply: [1, 0, A2], told: [B] });
    expect(after.waits).toEqual({ [B]: '-60000:10000' });
  });
});

describe('an acquisition', () => {
  test('declares the lease of a hand-off, the present one where it is in the queue', async () => {
    await stage.put({ lock: held(J, S30) });
    const first = await stage.acquire(A, S40, { given: S10 });
    expect(first.after.waits).toEqual({ [A]: '40000:10000' });
    const second = await stage.acquire(A, S40, { given: S20 });
    expect(second.after).toEqual({ ...first.after, waits: { [A]: '40000:20000' } });
    expect((await stage.acquire(A, S40)).after.waits).toEqual({ [A]: S40 });
  });

  test('after a hand-off whose message was lost is granted the lock, with the full lease', async () => {
    await stage.put({ lock: held(B, S30), ...WAITING });
    await stage.release(B);
    const after = { lock: held(A, S60), queue: [[J, S100 - S20]] };
    expect(await stage.acquire(A, S20, { given: S10 })).toEqual({
      reply: [1, 1],
      told: [],
      after,
    });
  });

  test('of a waiter whose process was silent too long keeps what it declared while it is probed', async () => {
    await stage.put({ lock: held(J, S60), queue: [[A, S10]], waits: { [A]: '40000:10000' }, alive });
    expect((await stage.beat(a, { margin: S20 })).after.waits).toEqual({ [A]: '-40000:10000' });
  });
});

test('a waiter that leaves while it is handed the lock passes it on', async () => {
  await stage.put({
    lock: held(B, S30),
    queue: [
      [A, S60],
      [A2, S100],
    ],
    waits: { [A]: '20000:10000', [A2]: '40000:10000' },
    alive,
  });
  await stage.release(B);
  expect(await stage.release(A)).toEqual({
    reply: [1, 1],
    told: [`${A2} 2`],
    after: { lock: held(A2, S10) },
  });
});

test('a heartbeat names the holder if it is of that process', async () => {
  await stage.put({ lock: held(B, S30), ...WAITING });
  expect((await stage.beat(a)).reply).toHaveLength(3);
  await stage.release(B);
  expect((await stage.beat(a)).reply).toEqual([1, expect.any(Number), 1, A]);
  expect((await stage.beat(b)).reply).toHaveLength(3);
});
