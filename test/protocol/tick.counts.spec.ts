import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { readStatus } from '../../libs/distributed-lock/src/job-control/job.records.js';
import { jobKeys } from '../../libs/distributed-lock/src/job-control/job.keys.js';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import { again, begin, claim, finish, inspect, pause } from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';

let stage: ProtocolStage;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
afterAll(() => stage.close());

/** What `jobs.status` would give. */
async function status(names: Names) {
  const [, , running, rows, fields] = await inspect(stage, names);
  const list = fields as string[];
  const record = new Map(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])));
  return readStatus({ running: running === 1, rows: rows as string[], record });
}

test('every way in which a run or a tick ends is counted, beyond the rows that are kept', async () => {
  const names = stage.names();
  expect(await status(names)).toBeUndefined();
  let tick = 0;
  const run = async (outcome: string) => {
    tick += 1;
    await finish(stage, names, { token: await begin(stage, names, { tick }), outcome });
  };
  for (let count = 0; count < 60; count += 1) await run('completed');
  await run('failed');
  await begin(stage, names, { tick: (tick += 1), holder: OTHER });
  for (let count = 0; count < 2; count += 1)
    await claim(stage, names, { mode: 'instant', tick: (tick += 1) });
  await stage.put(names.lock, 'free');
  await claim(stage, names, { mode: 'close', tick: (tick += 1), previous: tick - 1 });
  await claim(stage, names, { mode: 'close', tick: (tick += 3), previous: tick - 1 });
  const gap = { from: tick, count: 99 };
  await claim(stage, names, { mode: 'close', tick: (tick += 100), previous: tick - 1, ...gap });
  // Of another mark.
  await claim(stage, names, { mode: 'close', tick: tick + 100, previous: tick + 99, ...gap });
  expect((await status(names))?.counts).toEqual({
    completed: 60,
    failed: 1,
    crashed: 1,
    abandoned: 0,
    overlapped: 2,
    // One alone; a gap that is not counted, twice, and one of 99 ticks; and the tick that closes each of them.
    missed: 1 + (1 + 1) + (99 + 1) + (1 + 1),
  });
  expect(await stage.redis.llen(jobKeys(names.lock).runs)).toBe(50);
});

test('a status contains what waits and what runs', async () => {
  const names = stage.names();
  const token = await begin(stage, names, { mode: 'cron', tick: 7, onCrash: 'retry' });
  await claim(stage, names, { mode: 'instant', tick: 8, overlap: 'queue', holder: OTHER });
  expect(await status(names)).toMatchObject({ mark: 8, queued: 8, running: { tick: 7, attempt: 1 } });
  await finish(stage, names, { token, outcome: 'handed-over' });
  expect(await status(names)).toMatchObject({ handedOver: 7, running: undefined, paused: undefined });
  await pause(stage, names);
  expect(await status(names)).toMatchObject({ queued: undefined, paused: expect.any(Number) });
});

test('a record of a newer version is read as far as it is known', async () => {
  const names = stage.names();
  const row = {
    tick: 5,
    outcome: 'postponed',
    attempt: 0,
    start: 6,
    app: 'a',
    instance: 'b',
    reason: 'rain',
  };
  await stage.redis.lpush(names.runs, JSON.stringify(row), 'no json', '{"tick":"5"}');
  const paused = { v: '2', mark: 'soon', paused: 'yes', handed: '[]', completed: '1e1000', region: 'eu' };
  await stage.redis.hset(names.record, paused);
  expect(await status(names)).toEqual({
    mark: undefined,
    next: undefined,
    paused: undefined,
    pausedBy: undefined,
    lastRun: undefined,
    lastSuccess: undefined,
    queued: undefined,
    handedOver: undefined,
    running: undefined,
    counts: { completed: 0, failed: 0, crashed: 0, abandoned: 0, overlapped: 0, missed: 0 },
    app: undefined,
    schedule: undefined,
  });
  // Paused is paused, whatever it says.
  const tick = (await stage.now()) - 1000;
  expect((await claim(stage, names, { tick }))[0]).toBe(8);
  expect((await again(stage, names, { onCrash: 'retry' }))[0]).toBe(8);
  expect(await stage.state(names.lock)).not.toEqual(held({ [OTHER]: 1 }, 10_000));
});
