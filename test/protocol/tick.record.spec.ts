import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ProtocolStage, type Names } from './protocol.stage.js';
import { begin, claim, finish, inspect, register, settledRows, type Row } from './tick.calls.js';
import { acquire, forceRelease, send } from './reentrant.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
const TIME: unknown = expect.any(Number);
const S60 = 60_000;

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

/** Adds to the row of the run under way what a newer version of the library might. */
async function enrichRun(more: Row): Promise<void> {
  const run = JSON.parse((await stage.redis.hget(names.record, 'run')) ?? '{}') as Row;
  await stage.redis.hset(names.record, 'run', JSON.stringify({ ...run, ...more }));
}

const NEWER: Row = {
  region: 'eu',
  shards: [1, 2],
  trace: { id: 'a/b', parent: null },
  cost: 12345678901234,
  cold: true,
};

test('a record of a newer version keeps its version and the fields that this one does not know', async () => {
  await stage.redis.hset(names.record, { v: '2', queued: '7', region: 'eu', failed: 'no number' });
  await register(stage, names, 1);
  const token = await begin(stage, names, { tick: 2 });
  await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 3 });
  await finish(stage, names, { token, outcome: 'failed' });
  expect(await stage.redis.hgetall(names.record)).toMatchObject({
    v: '2',
    queued: '7',
    region: 'eu',
    failed: 'no number',
    mark: '3',
  });
});

test('the row of a finished run keeps the fields that this version does not know', async () => {
  const token = await begin(stage, names);
  await enrichRun(NEWER);
  await finish(stage, names, { token });
  expect(await settledRows(stage, names)).toMatchObject([{ ...NEWER, outcome: 'completed' }]);
});

test('the row of a crashed run keeps the fields that this version does not know', async () => {
  await begin(stage, names);
  await enrichRun(NEWER);
  await send(stage, names, forceRelease());
  await begin(stage, names, { holder: OTHER, tick: 2 });
  expect(await settledRows(stage, names)).toMatchObject([{ ...NEWER, outcome: 'crashed' }]);
});

test('a repeated claim returns the attempt that the record has', async () => {
  const token = await begin(stage, names);
  await enrichRun({ attempt: 2 });
  expect(await claim(stage, names, { mode: 'instant', tick: 1 })).toEqual([1, TIME, token, 2, 1, []]);
});

test('a run that outlasts sixty ticks does not push out what was before it: they share a row', async () => {
  await finish(stage, names, { token: await begin(stage, names) });
  const token = await begin(stage, names, { tick: 2 });
  for (let tick = 3; tick <= 62; tick += 1)
    await claim(stage, names, { holder: OTHER, mode: 'instant', tick });
  const [, , running, rows] = await inspect(stage, names);
  expect(running).toBe(1);
  expect(rows).toHaveLength(3);
  expect(await stage.redis.hget(names.record, 'overlapped')).toBe('60');
  expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
  expect(await settledRows(stage, names)).toMatchObject([
    { tick: 2, outcome: 'completed', token },
    { tick: 62, outcome: 'overlapped', after: 2, count: 60, reason: 'the last run still has the lock' },
    { tick: 1, outcome: 'completed' },
  ]);
});

test('overlapped ticks with different reasons, or with another record between them, have rows of their own', async () => {
  const overlap = (tick: number, more: object = {}) =>
    claim(stage, names, { holder: 'third', mode: 'instant', tick, ...more });
  await send(stage, names, acquire(OTHER, S60, 1));
  await overlap(5);
  await overlap(6);
  // A gap is between them.
  await overlap(9, { previous: 8 });
  await send(stage, names, forceRelease());
  await begin(stage, names, { tick: 10 });
  await overlap(11);
  const rows = (await settledRows(stage, names)).map(({ tick, outcome, after, count }) => [
    tick,
    outcome,
    after,
    count,
  ]);
  expect(rows).toEqual([
    [11, 'overlapped', undefined, undefined],
    [9, 'overlapped', undefined, undefined],
    [8, 'missed', 6, undefined],
    [6, 'overlapped', 4, 2],
  ]);
});

test('unreadable records stop neither a claim nor the end of a run', async () => {
  const rubbish = ['no json', '5', '"text"', 'null', '[]', '{"token":5}'];
  await stage.redis.rpush(names.runs, ...rubbish);
  const token = await begin(stage, names);
  await finish(stage, names, { token });
  expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
  expect(await finish(stage, names, { token: 'text' })).toEqual([0, TIME]);
});

test.each(['no json', '5', 'null', '{"tick":null,"cost":1e999}'])(
  'a run that reads %s stops neither its own end nor, when it died, the next claim',
  async (run) => {
    const token = await begin(stage, names);
    await stage.redis.hset(names.record, 'run', run);
    expect((await claim(stage, names, { mode: 'instant', tick: 1 })).slice(2)).toEqual([token, 1, 1, []]);
    await send(stage, names, forceRelease());
    await begin(stage, names, { tick: 2, holder: OTHER });
    expect(JSON.parse((await stage.redis.hget(names.record, 'run')) ?? '')).toMatchObject({ tick: 2 });
  },
);

test.each([
  ['an umlaut and an emoji', 'Geld läuft aus 💸 — 終'],
  ['quotes, slashes and control characters', 'a "b" \\ / \u0000 \u0001 \t \u007f \r\n'],
  ['what looks like a row', '{"outcome":"running","token":"1"}'],
])('a reason with %s comes back as it was', async (_what, reason) => {
  const token = await begin(stage, names);
  await finish(stage, names, { token, outcome: 'failed', reason });
  expect(await settledRows(stage, names)).toMatchObject([{ reason, outcome: 'failed' }]);
});

test.each([
  ['x', 'x'.repeat(1_000_000), 4000],
  ['é', 'é'.repeat(3000), 1999],
  ['💸', '💸'.repeat(3000), 1998],
  ['é at odd places', `x${'é'.repeat(3000)}`, 2000],
])('a long reason of %s is cut to 4,000 bytes, between characters', async (_what, reason, length) => {
  const token = await begin(stage, names);
  await finish(stage, names, { token, outcome: 'failed', reason });
  const [row] = await settledRows(stage, names);
  expect(row?.['reason']).toBe(reason.slice(0, length));
});

test('instants and tokens come back with all their digits', async () => {
  const tick = 99_999_999_999_999;
  await register(stage, names, tick - 1);
  const token = await begin(stage, names, { tick });
  await finish(stage, names, { token });
  expect(await stage.redis.hget(names.record, 'mark')).toBe(`${tick}`);
  expect(await settledRows(stage, names)).toMatchObject([{ tick, token: expect.stringMatching(/^\d{16}$/) }]);
});
