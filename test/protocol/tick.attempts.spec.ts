import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ProtocolStage, type Names } from './protocol.stage.js';
import { forceRelease, send } from './reentrant.calls.js';
import { again, claim, finish, pause, request, settledRows } from './tick.calls.js';

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

const retry = { onCrash: 'retry', attempts: 2 } as const;

/** The lease of the current run ends. */
const crash = () => send(stage, names, forceRelease());

const outcomes = async () =>
  (await settledRows(stage, names))
    .toReversed()
    .map(({ outcome, attempt, tick }) => [outcome, attempt, tick]);

describe('a tick whose runs crash', () => {
  beforeEach(async () => {
    await claim(stage, names, { ...retry, mode: 'instant', tick: 1 });
    await crash();
  });

  test('is run again until no attempt is left, and is then abandoned, once', async () => {
    expect((await again(stage, names, retry)).slice(3, 5)).toEqual([2, 1]);
    await crash();
    const [code, , wait, , listen, rows] = await again(stage, names, retry);
    expect([code, wait, listen]).toEqual([2, 0, 0]);
    expect(rows).toHaveLength(1);
    expect((await again(stage, names, retry)).slice(5)).toEqual([[]]);
    expect(await outcomes()).toEqual([
      ['crashed', 1, 1],
      ['abandoned', 2, 1],
    ]);
    expect((await settledRows(stage, names))[0]).toMatchObject({ reason: expect.stringContaining('2 runs') });
    expect(await stage.redis.hmget(names.record, 'crashed', 'abandoned', 'run', 'holder')).toEqual([
      '1',
      '1',
      null,
      null,
    ]);
  });

  test('is abandoned by the claim of the next tick, which is granted', async () => {
    await again(stage, names, retry);
    await crash();
    const answer = await claim(stage, names, { ...retry, mode: 'instant', tick: 2 });
    expect([answer[0], answer[3], answer[4]]).toEqual([1, 1, 2]);
    expect(await outcomes()).toEqual([
      ['crashed', 1, 1],
      ['abandoned', 2, 1],
    ]);
  });

  test('counts anew at the next tick', async () => {
    await again(stage, names, retry);
    await crash();
    await claim(stage, names, { ...retry, mode: 'instant', tick: 2 });
    await crash();
    expect((await again(stage, names, retry)).slice(3, 5)).toEqual([2, 2]);
  });

  test('keeps its count over a hand-over, which is no crash', async () => {
    const [, , token] = await again(stage, names, { ...retry, attempts: 3 });
    await finish(stage, names, { token: String(token), outcome: 'handed-over' });
    expect((await again(stage, names, { ...retry, attempts: 3 })).slice(3, 5)).toEqual([3, 1]);
    await crash();
    // Its fourth attempt is the third that may crash.
    expect((await again(stage, names, { ...retry, attempts: 3 })).slice(3, 5)).toEqual([4, 1]);
    await crash();
    expect((await again(stage, names, { ...retry, attempts: 3 }))[0]).toBe(2);
    expect((await outcomes()).at(-1)).toEqual(['abandoned', 4, 1]);
    for (const row of await settledRows(stage, names)) expect(row).not.toHaveProperty('crashes');
  });

  test('keeps its count where a run that was requested by hand comes before it', async () => {
    await pause(stage, names);
    await request(stage, names, 'r1');
    const [, , token] = await again(stage, names, retry);
    await finish(stage, names, { token: String(token) });
    await pause(stage, names, 'resume');
    expect((await again(stage, names, retry)).slice(3, 5)).toEqual([2, 1]);
    await crash();
    expect((await again(stage, names, retry))[0]).toBe(2);
    expect((await outcomes()).at(-1)).toEqual(['abandoned', 2, 1]);
  });

  test('is run again without end where no number is named', async () => {
    for (let attempt = 2; attempt < 10; attempt += 1) {
      expect((await again(stage, names, { onCrash: 'retry' })).slice(3, 5)).toEqual([attempt, 1]);
      await crash();
    }
  });

  test('whose run an older version has begun has crashed in each earlier attempt', async () => {
    await stage.redis.hset(
      names.record,
      'holder',
      'older:1',
      'run',
      '{"tick":1,"attempt":2,"outcome":"running","start":1}',
    );
    expect((await again(stage, names, retry))[0]).toBe(2);
    expect((await outcomes()).at(-1)).toEqual(['abandoned', 2, 1]);
  });

  test('is abandoned while the job is paused, and while another holder has its lock', async () => {
    await again(stage, names, retry);
    await crash();
    await pause(stage, names);
    await stage.redis.hset(names.lock, 'other:1', 1);
    expect((await again(stage, names, retry))[0]).toBe(8);
    expect((await outcomes()).at(-1)).toEqual(['abandoned', 2, 1]);
  });
});

test('a run that was handed over before has not crashed', async () => {
  for (let attempt = 1; attempt < 4; attempt += 1) {
    const [, , token, number] =
      attempt === 1
        ? await claim(stage, names, { ...retry, mode: 'instant', tick: 1 })
        : await again(stage, names, retry);
    expect(number).toBe(attempt);
    await finish(stage, names, { token: String(token), outcome: 'handed-over' });
  }
  expect((await again(stage, names, retry)).slice(3, 5)).toEqual([4, 1]);
  await crash();
  expect((await again(stage, names, retry)).slice(3, 5)).toEqual([5, 1]);
  await crash();
  expect((await again(stage, names, retry))[0]).toBe(2);
  expect((await outcomes()).slice(-2)).toEqual([
    ['crashed', 4, 1],
    ['abandoned', 5, 1],
  ]);
});

test('a run that was requested by hand is abandoned, too, and its request with it', async () => {
  await request(stage, names, 'r1');
  for (const attempt of [1, 2]) {
    expect((await again(stage, names, retry))[3]).toBe(attempt);
    await crash();
  }
  expect((await again(stage, names, retry))[0]).toBe(2);
  expect((await outcomes()).map(([outcome]) => outcome)).toEqual(['crashed', 'abandoned']);
  expect(await stage.redis.hget(names.record, 'request')).toBeNull();
});

test.each([
  ['a claim', () => claim(stage, names, { ...retry, mode: 'instant', tick: 1, attempts: 0 })],
  ['a waiting run', () => again(stage, names, { ...retry, attempts: 1.5 })],
])('%s with an impossible number of attempts is refused before anything is written', async (_, call) => {
  expect(await call()).toMatchObject([-1, expect.stringMatching(/^ERR /), 'none']);
  expect(await stage.redis.exists(...names.tick)).toBe(0);
});
