import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { coarse, held, ProtocolStage, type Names } from './protocol.stage.js';
import { acquire, forceRelease, release, send } from './reentrant.calls.js';
import {
  APP,
  begin,
  claim,
  finish,
  inspect,
  INSTANCE,
  RUNNER,
  settledRows,
  wholeState,
} from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
const S10 = 10_000;
const S60 = 60_000;
const TIME: unknown = expect.any(Number);

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

describe('the end of a run', () => {
  test.each([
    { outcome: 'completed', reason: '', row: { outcome: 'completed' } },
    {
      outcome: 'failed',
      reason: 'no more "paper"\n',
      row: { outcome: 'failed', reason: 'no more "paper"\n' },
    },
  ])('stores that it $outcome, frees the lock and wakes a waiter', async ({ outcome, reason, row }) => {
    const token = await begin(stage, names);
    await stage.listen(names.channel);
    expect(await finish(stage, names, { token, outcome, reason, lease: 0 })).toEqual([1, TIME, 1]);
    expect(await stage.messages(names.channel)).toEqual(['0']);
    expect(await stage.state(names.lock)).toBe('free');
    const expected = {
      tick: 1,
      attempt: 1,
      app: APP,
      instance: INSTANCE,
      token,
      start: TIME,
      end: TIME,
      ...row,
    };
    expect(await settledRows(stage, names)).toEqual([expected]);
    const { success, ...record } = await stage.redis.hgetall(names.record);
    expect(record).toEqual({ v: '1', mark: '1', token, [outcome]: '1' });
    expect(success !== undefined).toBe(outcome === 'completed');
  });

  test('is answered the same when it is repeated, without a second row or message', async () => {
    const token = await begin(stage, names);
    await stage.listen(names.channel);
    await finish(stage, names, { token });
    const state = await wholeState(stage, names);
    expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
    expect(await wholeState(stage, names)).toEqual(state);
    expect(await stage.messages(names.channel)).toEqual(['0']);
  });

  test('is known at its repeat also when the next run has begun and ended since', async () => {
    const token = await begin(stage, names);
    await finish(stage, names, { token });
    const next = await begin(stage, names, { holder: OTHER, tick: 2 });
    expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
    expect(await stage.state(names.lock)).toEqual(held({ [OTHER]: 1 }, S10));
    await finish(stage, names, { holder: OTHER, token: next });
    expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
  });

  test('leaves the count of a re-entry that still holds, and restores its lease', async () => {
    const token = await begin(stage, names);
    await send(stage, names, acquire(RUNNER, S60, 2));
    await stage.listen(names.channel);
    expect(await finish(stage, names, { token, count: 1, lease: S10 })).toEqual([2, TIME]);
    expect(await stage.state(names.lock)).toEqual(held({ [RUNNER]: 1 }, S10));
    await stage.redis.pexpire(names.lock, S60);
    expect(await finish(stage, names, { token, count: 1, lease: S10 })).toEqual([2, TIME]);
    expect(await stage.state(names.lock)).toEqual(held({ [RUNNER]: 1 }, S60));
    expect(await send(stage, names, release(RUNNER, 0, S10))).toEqual([1, 1]);
    expect(await settledRows(stage, names)).toHaveLength(1);
  });

  test('never raises a count', async () => {
    const token = await begin(stage, names);
    expect(await finish(stage, names, { token, count: 2, lease: S60 })).toEqual([2, TIME]);
    expect(await stage.state(names.lock)).toEqual(held({ [RUNNER]: 1 }, S10));
  });

  test('is refused with the token of another run', async () => {
    await begin(stage, names);
    const state = await wholeState(stage, names);
    expect(await finish(stage, names, { token: '1234567890123456' })).toEqual([0, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
  });

  test('is refused to another holder', async () => {
    const token = await begin(stage, names);
    const state = await wholeState(stage, names);
    expect(await finish(stage, names, { holder: OTHER, token })).toEqual([0, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
  });

  test('is refused after the lease was lost, and the next claim names the run crashed, once', async () => {
    const token = await begin(stage, names);
    await send(stage, names, forceRelease());
    expect(await finish(stage, names, { token })).toEqual([0, TIME]);
    expect(await settledRows(stage, names)).toEqual([]);
    await begin(stage, names, { holder: OTHER, tick: 2 });
    expect(await finish(stage, names, { token })).toEqual([0, TIME]);
    expect(await settledRows(stage, names)).toMatchObject([
      { tick: 1, outcome: 'crashed', token, attempt: 1 },
    ]);
    expect(await stage.state(names.lock)).toEqual(held({ [OTHER]: 1 }, S10));
  });

  test('is noted once as crashed while a direct call keeps the lock over two ticks', async () => {
    await begin(stage, names);
    await send(stage, names, forceRelease());
    await send(stage, names, acquire(OTHER, S60, 1));
    for (const tick of [2, 3]) await claim(stage, names, { holder: 'third', mode: 'instant', tick });
    const outcomes = (await settledRows(stage, names)).map((row) => [row['tick'], row['outcome']]);
    expect(outcomes).toEqual([
      // The ticks 2 and 3.
      [3, 'overlapped'],
      [1, 'crashed'],
    ]);
    expect(await stage.redis.hmget(names.record, 'holder', 'run')).toEqual([null, null]);
  });

  test('is refused while a direct call has the lock that the run lost', async () => {
    const token = await begin(stage, names);
    await send(stage, names, forceRelease());
    await send(stage, names, acquire(OTHER, S60, 1));
    expect(await finish(stage, names, { token })).toEqual([0, TIME]);
    expect(await stage.state(names.lock)).toEqual(held({ [OTHER]: 1 }, S60));
  });
});

test('a query of a job returns its run under way first, and whether it still has the lock', async () => {
  expect(await inspect(stage, names)).toEqual([1, TIME, 0, [], []]);
  const token = await begin(stage, names);
  await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 2 });
  const rows = [
    expect.stringContaining('"outcome":"running"'),
    expect.stringContaining('"outcome":"overlapped"'),
  ];
  expect(await inspect(stage, names)).toEqual([
    1,
    TIME,
    1,
    rows,
    expect.arrayContaining(['mark', '2', 'token', token]),
  ]);
  await send(stage, names, forceRelease());
  expect(coarse((await inspect(stage, names))[2])).toBe(0);
  expect((await finish(stage, names, { token }))[0]).toBe(0);
});
