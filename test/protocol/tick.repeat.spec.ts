import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import { forceRelease, send } from './reentrant.calls.js';
import { begin, claim, finish, register, RUNNER } from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
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

describe('a claim whose reply was lost', () => {
  test('is granted its own tick again, with its full lease, also when a newer tick was overlapped since', async () => {
    const token = await begin(stage, names);
    expect((await claim(stage, names, { holder: OTHER, mode: 'instant', tick: 2 }))[0]).toBe(3);
    await stage.redis.pexpire(names.lock, 5000);
    const repeated = { mode: 'instant', tick: 1, lease: S60 };
    expect(await claim(stage, names, repeated)).toEqual([1, TIME, token, 1, 1, []]);
    expect(await stage.state(names.lock)).toEqual(held({ [RUNNER]: 1 }, S60));
  });

  test('is taken when it comes again after its run has ended', async () => {
    await finish(stage, names, { token: await begin(stage, names) });
    expect(await claim(stage, names, { mode: 'instant', tick: 1 })).toEqual([2, TIME, 0, 1, 0, []]);
    expect(await stage.state(names.lock)).toBe('free');
  });

  test('is taken when its lease was lost: the tick does not run twice', async () => {
    await begin(stage, names);
    await send(stage, names, forceRelease());
    expect(await claim(stage, names, { mode: 'instant', tick: 1 })).toEqual([2, TIME, 0, 1, 0, []]);
  });
});

test('one of ten instances that claim a tick at once is granted', async () => {
  const fleet = Array.from({ length: 10 }, () => ProtocolStage.open(inject('redisUrl')));
  try {
    const claims = fleet.map((each, index) =>
      claim(each, names, { holder: `host:${index}`, mode: 'instant', tick: 1 }),
    );
    const verdicts = (await Promise.all(claims)).map(([code]) => code);
    expect(verdicts.toSorted()).toEqual([1, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  } finally {
    await Promise.all(fleet.map((each) => each.close()));
  }
});

test('tokens rise from run to run, also above a token that is ahead of the clock', async () => {
  const first = await begin(stage, names);
  await finish(stage, names, { token: first });
  const second = await begin(stage, names, { tick: 2 });
  expect(BigInt(second)).toBeGreaterThan(BigInt(first));
  await finish(stage, names, { token: second });
  await stage.redis.hset(names.record, 'token', '9007199254740000');
  expect(await begin(stage, names, { tick: 3 })).toBe('9007199254740001');
});

describe('a registration', () => {
  test('sets a mark where there is none, and never moves it', async () => {
    expect(await register(stage, names, '')).toEqual([1, TIME, '', '', '', '']);
    expect(await stage.redis.exists(names.record)).toBe(0);
    expect(await register(stage, names, 1_000_000_000_000, 'billing', 'daily')).toEqual([
      1,
      TIME,
      '1000000000000',
      '',
      '',
      '',
    ]);
    expect(await register(stage, names, 2_000_000_000_000, 'orders', 'hourly')).toEqual([
      1,
      TIME,
      '1000000000000',
      'billing',
      'daily',
      expect.any(String),
    ]);
    expect(await stage.redis.hgetall(names.record)).toEqual({
      v: '1',
      mark: '1000000000000',
      app: 'orders',
      schedule: 'hourly',
      schedule_since: expect.any(String),
    });
  });

  test('notes since when the job has another schedule than before, for all that register it later', async () => {
    await register(stage, names, 1, 'billing', 'daily');
    expect((await register(stage, names, 1, 'billing', 'daily')).slice(3)).toEqual(['billing', 'daily', '']);
    const [, at, , , , since] = await register(stage, names, 1, 'billing', 'hourly');
    expect(since).toBe(String(at));
    expect((await register(stage, names, '', 'billing', 'hourly')).slice(4)).toEqual(['hourly', since]);
    expect((await register(stage, names, 1, 'billing', 'hourly')).slice(4)).toEqual(['hourly', since]);
    // One that only looks changes nothing.
    expect((await register(stage, names, '', 'billing', 'daily')).slice(4)).toEqual(['hourly', since]);
  });

  describe('of an application that begins with one schedule, and sets another one at each start', () => {
    const begins = async () => (await register(stage, names, 1, 'billing', 'default')).slice(4);
    const sets = async (schedule = 'hourly', former = 'default') =>
      (await register(stage, names, 1, 'billing', schedule, { former })).slice(4);

    test('has the latter since it was set first, and is told of no change', async () => {
      expect(await begins()).toEqual(['', '']);
      const [, since] = await sets();
      for (let starts = 0; starts < 2; starts += 1) {
        const look = await register(stage, names, '', 'billing', 'default');
        expect(look.slice(4)).toEqual(['default', since]);
        expect((await begins())[0]).toBe('default');
        // Another instance starts at the same time.
        expect((await begins())[0]).toBe('default');
        expect(await sets()).toEqual(['default', since]);
        expect(await sets()).toEqual(['hourly', since]);
      }
      expect(Object.keys(await stage.redis.hgetall(names.record))).not.toContain('since_before');
    });

    test('has it from now on where it had the first one for long, and where either of them is a new one', async () => {
      await begins();
      const [, since] = await sets();
      await begins();
      const long = Number(await stage.redis.hget(names.record, 'schedule_since')) - 60_000;
      await stage.redis.hset(names.record, 'schedule_since', long);
      const [, later] = await sets();
      expect(Number(later)).toBeGreaterThanOrEqual(Number(since));
      expect(Number(later)).toBeGreaterThan(long);
      await begins();
      expect(Number((await sets('daily'))[1])).toBeGreaterThanOrEqual(Number(later));
      const other = await register(stage, names, 1, 'billing', 'another default');
      expect(other[4]).toBe('daily');
      expect((await sets('daily', 'another default'))[0]).toBe('another default');
    });
  });

  test.each(['0', '99999999999999'])('takes the instant %s', async (instant) => {
    expect(await register(stage, names, instant)).toEqual([1, TIME, instant, '', '', '']);
  });

  test("takes the store's time for 'now'", async () => {
    const [, at, mark] = await register(stage, names, 'now');
    expect(mark).toBe(String(at));
  });
});
