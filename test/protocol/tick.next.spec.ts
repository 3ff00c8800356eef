import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { ProtocolStage, type Names } from './protocol.stage.js';
import { again, claim, finish, inspect, pause, register, request } from './tick.calls.js';

const HOUR = 3_600_000;

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(() => {
  names = stage.names();
});
afterAll(() => stage.close());

const next = async (): Promise<number | undefined> => {
  const [mark, text] = await stage.redis.hmget(names.record, 'mark', 'next');
  const [before, due] = (text ?? '').split(' ');
  return before === mark && due !== undefined ? Number(due) : undefined;
};

describe('when the next tick of a job is due', () => {
  test('is known from its registration on', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now + HOUR });
    expect(await next()).toBe(now + HOUR);
  });

  test('is a period after the last start of an interval, also where another instance registers it later', async () => {
    const [, , mark] = await register(stage, names, 'now', 'billing', 'every hour', { period: HOUR });
    expect(await next()).toBe(Number(mark) + HOUR);
    await register(stage, names, 'now', 'billing', 'every hour', { period: HOUR });
    expect(await next()).toBe(Number(mark) + HOUR);
  });

  test('follows a schedule that a new registration has changed', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now + HOUR });
    await register(stage, names, now - HOUR, 'billing', 'soon', { due: now + 5000 });
    expect(await next()).toBe(now + 5000);
    await register(stage, names, now - HOUR, 'billing', 'never again');
    expect(await next()).toBeUndefined();
  });

  test('is not changed by an instance that only reads the registration', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now + HOUR });
    await register(stage, names, '', 'billing', 'hourly');
    expect(await next()).toBe(now + HOUR);
  });

  test.each(['granted', 'missed', 'paused', 'overlapped'])(
    'is the instant after a tick that was %s',
    async (verdict) => {
      const now = await stage.now();
      await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now - 1 });
      if (verdict === 'paused') await pause(stage, names);
      if (verdict === 'overlapped') await stage.redis.hset(names.lock, 'other:1', 1);
      const mode = verdict === 'missed' ? 'close' : 'cron';
      await claim(stage, names, { mode, tick: now - 1, following: now + HOUR });
      expect(await next()).toBe(now + HOUR);
    },
  );

  test.each([
    ['early', { tick: 60_000, following: 120_000 }],
    ['stale', { tick: -120_000, following: -60_000 }],
    ['taken', { tick: -HOUR, following: 60_000 }],
  ])('is not moved by a claim that comes %s', async (_, { tick, following }) => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now - 5 });
    await claim(stage, names, { tick: now + tick, following: now + following });
    expect(await next()).toBe(now - 5);
  });

  test('is a period after each start of an interval, also one that was handed over', async () => {
    const [, at, token] = await claim(stage, names, {
      mode: 'interval',
      following: 10,
      period: HOUR,
      onCrash: 'retry',
    });
    expect(await next()).toBe(Number(at) + HOUR);
    await finish(stage, names, { token: String(token), outcome: 'handed-over' });
    await stage.redis.hset(names.record, { next: '5 6', mark: 5 });
    const [code, later] = await again(stage, names, { gap: 10, period: HOUR, onCrash: 'retry' });
    expect(code).toBe(1);
    expect(await next()).toBe(Number(later) + HOUR);
  });

  test('is not moved by a run that was requested by hand', async () => {
    const [, , mark] = await register(stage, names, 'now', 'billing', 'every hour', { period: HOUR });
    await request(stage, names, 'r1');
    expect((await again(stage, names, { gap: 10, period: HOUR }))[0]).toBe(1);
    expect(await next()).toBe(Number(mark) + HOUR);
  });

  test('is not that of a registration which a claim has outrun', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now - 1 });
    await claim(stage, names, { tick: now - 1, following: now + HOUR });
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now - 1 });
    expect(await next()).toBe(now + HOUR);
  });

  test('is unknown after a tick that an older version has claimed', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'hourly', { due: now + 5 });
    // It moves the mark, and an interval may start a little early.
    await stage.redis.hset(names.record, 'mark', String(now));
    expect(await next()).toBeUndefined();
  });

  test('is unknown after a tick that has none after it', async () => {
    const now = await stage.now();
    await register(stage, names, now - HOUR, 'billing', 'once', { due: now - 1 });
    await claim(stage, names, { tick: now - 1 });
    expect(await next()).toBeUndefined();
    await claim(stage, names, { mode: 'instant', tick: now + 5, following: '' });
    expect(await next()).toBeUndefined();
  });
});

test('the last success of a job is the end of its last run that has completed', async () => {
  const success = () => stage.redis.hget(names.record, 'success');
  for (const [tick, outcome, isSuccess] of [
    [1, 'failed', false],
    [2, 'completed', true],
    [3, 'handed-over', false],
  ] as const) {
    const before = await success();
    const [, , token] = await claim(stage, names, { mode: 'instant', tick });
    const [, at] = await finish(stage, names, { token: String(token), outcome });
    expect(await success()).toBe(isSuccess ? String(at) : before);
  }
});

test('as many rows are read as are asked for, beside the run under way', async () => {
  for (const tick of [1, 2, 3]) {
    const [, , token] = await claim(stage, names, { mode: 'instant', tick });
    await finish(stage, names, { token: String(token) });
  }
  await claim(stage, names, { mode: 'instant', tick: 4 });
  const ticksOf = async (most: number) =>
    ((await inspect(stage, names, most))[3] as string[]).map(
      (row) => (JSON.parse(row) as { tick: number }).tick,
    );
  expect(await ticksOf(50)).toEqual([4, 3, 2, 1]);
  expect(await ticksOf(2)).toEqual([4, 3, 2]);
  expect(await ticksOf(0)).toEqual([4]);
});

test.each([
  ['a period of 0', () => register(stage, names, 'now', 'a', 'b', { period: 0 })],
  ['a next instant with a fraction', () => register(stage, names, 1, 'a', 'b', { due: 1.5 })],
  [
    'a claim with a period below 0',
    () => claim(stage, names, { mode: 'interval', following: 1, period: -1 }),
  ],
  ['a waiting run with a period that is none', () => again(stage, names, { gap: 1, period: 1e12 })],
  ['10001 rows', () => inspect(stage, names, 10_001)],
])('%s is refused before anything is written', async (_, call) => {
  const [code, message] = await call();
  expect(code).toBe(-1);
  expect(message).toMatch(/^ERR .* out of range$/);
  expect(await stage.redis.exists(...names.tick)).toBe(0);
});
