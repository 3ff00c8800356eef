import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { ProtocolStage, type Names } from './protocol.stage.js';
import { again, begin, claim, finish, inspect, pause, settledRows, wholeState } from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

const historyInRecord = () => stage.redis.hget(names.record, 'history');
const rowCount = () => stage.redis.llen(names.runs);

/** Runs of the instants 1 to `count`, the first of which notes the number. */
async function runs(count: number, history: number | '' = ''): Promise<void> {
  for (let tick = 1; tick <= count; tick += 1)
    await finish(stage, names, {
      token: await begin(stage, names, { tick, history: tick === 1 ? history : '' }),
    });
}

test('without a number fifty rows are kept, and none is noted', async () => {
  await runs(53);
  expect([await rowCount(), await historyInRecord()]).toEqual([50, null]);
});

test('a granted claim notes the number, and the end of each run keeps as many rows', async () => {
  await runs(73, 70);
  expect([await rowCount(), await historyInRecord()]).toEqual([70, '70']);
  const [, , , rows] = await inspect(stage, names, 10_000);
  expect(rows).toHaveLength(70);
  expect((await inspect(stage, names, 10))[3]).toHaveLength(10);
});

test('a smaller number deletes older rows with the next row, a larger one brings none back', async () => {
  await runs(70, 80);
  await finish(stage, names, { token: await begin(stage, names, { tick: 71, history: 50 }) });
  expect(await rowCount()).toBe(50);
  await finish(stage, names, { token: await begin(stage, names, { tick: 72, history: 80 }) });
  expect([await rowCount(), await historyInRecord()]).toEqual([51, '80']);
});

test('the rows of ticks that do not run are kept alike: overlapped, missed, and of a pause', async () => {
  await runs(60, 60);
  await stage.redis.del(names.lock);
  await begin(stage, names, { tick: 70 });
  expect((await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 80, previous: 75 }))[0]).toBe(3);
  await pause(stage, names);
  await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 90 });
  await pause(stage, names, 'resume');
  expect((await settledRows(stage, names)).slice(0, 3).map(({ outcome }) => outcome)).toEqual([
    'paused',
    'overlapped',
    'missed',
  ]);
  expect(await rowCount()).toBe(60);
});

test('a repeated end of a run finds its row behind the rows that other runs have added meanwhile', async () => {
  const token = await begin(stage, names, { tick: 1, history: 50 });
  const first = await finish(stage, names, { token });
  for (let tick = 2; tick <= 40; tick += 1)
    await finish(stage, names, { token: await begin(stage, names, { tick }) });
  const repeated = await finish(stage, names, { token });
  expect([first[0], repeated[0]]).toEqual([1, 1]);
});

test('a verdict other than a grant notes the number as well', async () => {
  await begin(stage, names);
  await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 2, history: 80 });
  expect(await historyInRecord()).toBe('80');
});

test('a claim that is taken, early or stale writes nothing', async () => {
  const now = await stage.now();
  await begin(stage, names, { tick: now });
  const before = await wholeState(stage, names);
  const wanted = { holder: OTHER, history: 500 };
  expect((await claim(stage, names, { ...wanted, mode: 'instant', tick: now }))[0]).toBe(2);
  expect((await claim(stage, names, { ...wanted, tick: now + 60_000, following: now + 120_000 }))[0]).toBe(5);
  expect((await claim(stage, names, { ...wanted, tick: now - 120_000, following: now - 60_000 }))[0]).toBe(6);
  expect(await wholeState(stage, names)).toEqual(before);
});

test('a run that waited notes the number when it is granted', async () => {
  const token = await begin(stage, names, { tick: await stage.now() });
  await finish(stage, names, { token, outcome: 'returned' });
  expect((await again(stage, names, { history: 90 }))[0]).toBe(1);
  expect(await historyInRecord()).toBe('90');
});

test.each(['', 'many', '49', '10001', '12.5', '-1'])(
  'fifty rows are kept where the record says %j',
  async (text) => {
    await stage.redis.hset(names.record, 'history', text);
    await runs(52);
    expect(await rowCount()).toBe(50);
  },
);

test.each([49, 10_001, 62.5, -1])('the number %d is refused before anything is written', async (history) => {
  expect((await claim(stage, names, { mode: 'instant', tick: 1, history }))[0]).toBe(-1);
  expect((await again(stage, names, { history }))[0]).toBe(-1);
  expect((await inspect(stage, names, history < 0 || history % 1 > 0 ? history : 10_001))[0]).toBe(-1);
  expect(await stage.redis.exists(names.lock, names.record, names.runs)).toBe(0);
});
