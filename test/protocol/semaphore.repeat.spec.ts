import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { Random } from '../support/random.js';
import {
  amount,
  counterOf,
  play,
  put,
  read,
  send,
  sweep,
  type Counter,
  type Operation,
} from './counter.stage.js';
import { ProtocolStage } from './protocol.stage.js';
import { acquire, add, drain, forget, KEEP, set, undo } from './semaphore.calls.js';

let stage: ProtocolStage;
let counter: Counter;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(async () => {
  counter = counterOf(stage.names().lock);
  await put(stage, counter.key, amount(5));
});
afterEach(() => sweep(stage, counter));
afterAll(() => stage.close());

const value = async () => (await read(stage, counter.key)) as { value: string };

describe('a call whose reply was lost', () => {
  test.each([
    ['acquisition', acquire(2), [1, 3], '8'],
    ['release', add(2), [1, 7, 0], '12'],
    ['drain', drain(), [1, 5], '5'],
  ])(
    'is answered the same at its repeat, whatever came in between: %s',
    async (_what, call, reply, after) => {
      const first = await send(stage, counter, call);
      expect(first).toEqual(reply);
      await play(stage, counter, add(4, { call: 'other' }), add(1, { call: 'third' }));
      await stage.listen(counter.semaphoreChannel);
      expect(await send(stage, counter, call)).toEqual(reply);
      expect(await value()).toMatchObject({ value: after });
      expect(await stage.messages(counter.semaphoreChannel)).toEqual([]);
    },
  );

  test('is answered that it made the semaphore, also when that is gone by now', async () => {
    await stage.redis.del(counter.key);
    expect(await play(stage, counter, set(3), set(3), set(4, 0, 'other'))).toEqual([
      [1, 3, 0],
      [1, 3, 0],
      [0],
    ]);
    await stage.redis.del(counter.key);
    expect(await send(stage, counter, set(3))).toEqual([1, 3, 0]);
    expect(await read(stage, counter.key)).toBe('none');
  });

  test('is free to try again where it was refused', async () => {
    expect(await play(stage, counter, acquire(6), add(1, { call: 'other' }), acquire(6))).toEqual([
      [0, 5],
      [1, 6, 0],
      [1, 0],
    ]);
  });

  test('has a record that ends by itself', async () => {
    await play(stage, counter, acquire(1));
    expect(await read(stage, counter.record('c'))).toEqual(amount('1 4', KEEP));
  });
});

describe('an undo', () => {
  test.each([
    ['an acquisition', acquire(2), ['5']],
    ['an acquisition of all', acquire(5), ['5']],
    ['a drain', drain(), ['5']],
  ])('gives back what %s took, with a message, and once', async (_what, call, messages) => {
    await play(stage, counter, call);
    await stage.listen(counter.semaphoreChannel);
    expect(await play(stage, counter, undo(), undo())).toEqual([[1, 5, 1], [0]]);
    expect(await read(stage, counter.key)).toEqual(amount(5));
    expect(await stage.messages(counter.semaphoreChannel)).toEqual(messages);
    expect(await read(stage, counter.record('c'))).toEqual(amount('undone', KEEP));
  });

  test('of a drain takes what the drain had given', async () => {
    await put(stage, counter.key, amount(-2));
    expect(await play(stage, counter, drain(), undo())).toEqual([
      [1, -2],
      [1, -2, 0],
    ]);
    expect(await read(stage, counter.key)).toEqual(amount(-2));
  });

  test('gives back to what is there by now, and returns the value', async () => {
    await play(stage, counter, acquire(2), add(-9, { call: 'other' }));
    await stage.listen(counter.semaphoreChannel);
    expect(await send(stage, counter, undo())).toEqual([1, -4, 0]);
    expect(await read(stage, counter.key)).toEqual(amount(-4));
    expect(await stage.messages(counter.semaphoreChannel)).toEqual([]);
  });

  test('makes no semaphore where it was deleted since', async () => {
    await play(stage, counter, acquire(2));
    await stage.redis.del(counter.key);
    expect(await send(stage, counter, undo())).toEqual([0]);
    expect(await read(stage, counter.key)).toBe('none');
  });

  test.each([
    ['acquisition', acquire(2)],
    ['drain', drain()],
  ])('lets no late run of its %s take anything', async (_what, call) => {
    expect(await play(stage, counter, undo(), call, call)).toEqual([[0], [2], [2]]);
    expect(await read(stage, counter.key)).toEqual(amount(5));
  });

  test('keeps the time to live of the semaphore', async () => {
    await put(stage, counter.key, amount(5, 20_000));
    await play(stage, counter, acquire(2), undo());
    expect(await read(stage, counter.key)).toEqual(amount(5, 20_000));
  });
});

describe('a record', () => {
  test('is deleted once its reply has come', async () => {
    expect(await play(stage, counter, acquire(1), forget(), forget())).toEqual([[1, 4], [1], [1]]);
    expect(await stage.redis.exists(counter.record('c'))).toBe(0);
  });

  test('stays a while where a copy of its call may be on its way, which takes nothing then', async () => {
    await play(stage, counter, acquire(1), forget(20_000));
    expect(await read(stage, counter.record('c'))).toEqual(amount('1 4', 20_000));
    expect(await send(stage, counter, acquire(1))).toEqual([1, 4]);
    expect(await read(stage, counter.key)).toEqual(amount(4));
  });
});

test('never makes or loses a permit, whichever calls are repeated, late, or undone', async () => {
  const random = new Random();
  const times = (operation: Operation) => Array.from({ length: 1 + random.below(3) }, () => operation);
  let taken = 0;
  for (let id = 0; id < 400; id += 1) {
    const call = `${id}`;
    const permits = 1 + random.below(3);
    const given = random.below(2) === 0 ? Math.min(permits, taken) : 0;
    const operation = given > 0 ? add(given, { call }) : acquire(permits, call);
    const replies = await play(stage, counter, ...times(operation));
    expect(replies).toEqual(replies.map(() => replies[0]));
    const granted = given === 0 && (replies[0] as number[])[0] === 1;
    if (granted && random.below(3) === 0) await play(stage, counter, ...times(undo(call)), operation);
    else taken += granted ? permits : -given;
    const { value: left } = await value();
    expect(Number(left) + taken, `FAULT_SEED=${random.seed}, call ${id}`).toBe(5);
  }
});
