import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { held, ProtocolStage, type Names } from './protocol.stage.js';
import {
  again,
  APP,
  begin,
  claim,
  finish,
  forget,
  INSTANCE,
  jobChannel,
  noteBegin,
  pause,
  register,
  request,
  RUNNER,
  settledRows,
  wholeState,
  withdraw,
} from './tick.calls.js';

const OTHER = '6e38a1f0-0000-4000-8000-000000000002:3';
/** A tick that comes during a pause; instants in ms after the mark. */
interface PassedTick {
  readonly mode?: string;
  readonly previous?: number;
  readonly from?: number;
  readonly count?: number;
}

const TIME: unknown = expect.any(Number);

let stage: ProtocolStage;
let names: Names;
beforeAll(() => {
  stage = ProtocolStage.open(inject('redisUrl'));
});
beforeEach(async () => {
  names = stage.names();
  await stage.listen(jobChannel(names));
});
afterAll(() => stage.close());

/** Until the clock of Redis has come to `at`, in epoch ms. */
async function untilStoreClock(at: number): Promise<void> {
  while ((await stage.now()) < at) await sleep(1);
}

const told = () => stage.messages(jobChannel(names));

describe('a pause', () => {
  test('is one record for all that passed, and notifies the instances when it ends', async () => {
    const now = await stage.now();
    await stage.redis.hset(names.record, 'mark', now - 9000);
    expect(await pause(stage, names)).toEqual([1, TIME]);
    for (const tick of [now - 3000, now - 2000, now - 1000])
      expect((await claim(stage, names, { tick, following: now + 60_000 }))[0]).toBe(8);
    expect(await settledRows(stage, names)).toEqual([]);
    expect(await pause(stage, names, 'resume')).toEqual([1, TIME]);
    expect(await settledRows(stage, names)).toMatchObject([
      { tick: now - 1000, after: now - 9000, outcome: 'paused', attempt: 0, app: APP, instance: INSTANCE },
    ]);
    // Which ticks there were before the first one was not said.
    expect((await settledRows(stage, names))[0]).not.toHaveProperty('count');
    expect(await told()).toEqual(['look']);
    const tick = await stage.now();
    expect((await claim(stage, names, { tick, following: tick + 60_000 }))[0]).toBe(1);
  });

  test.each([
    ['from its first tick on', undefined, 1],
    ['from the tick before its first one on, where that is known', 5000, 5000],
  ])('of a job without a mark is a record %s', async (_what, before, since) => {
    const now = await stage.now();
    await pause(stage, names);
    const previous = before === undefined ? {} : { previous: now - before };
    for (const tick of [now, now + 5]) {
      await untilStoreClock(tick);
      expect((await claim(stage, names, { tick, ...previous, following: tick + 60_000 }))[0]).toBe(8);
    }
    await pause(stage, names, 'resume');
    expect(await settledRows(stage, names)).toMatchObject([
      { tick: now + 5, after: now - since, outcome: 'paused' },
    ]);
  });

  test.each([
    ['is a record from its registration on', [5]],
    ['is none where no tick comes after its registration', []],
  ])('of a job that is registered during it %s', async (_what, passed) => {
    await pause(stage, names);
    const mark = Number((await register(stage, names, 'now'))[2]);
    const ticks = passed.map((since) => mark + since);
    for (const tick of ticks) {
      await untilStoreClock(tick);
      expect((await claim(stage, names, { tick, following: tick + 60_000 }))[0]).toBe(8);
    }
    await pause(stage, names, 'resume');
    expect(await settledRows(stage, names)).toMatchObject(
      ticks.map((tick) => ({ tick, after: mark, outcome: 'paused' })),
    );
  });

  test.each<[string, readonly PassedTick[], number | undefined]>([
    ['each tick of a cron job', [{ previous: 0 }, { previous: 1000 }, { previous: 2000 }], 3],
    ['each start of an interval', [{ mode: 'interval' }, { mode: 'interval' }], 2],
    ['a gap that was counted', [{ previous: 0 }, { previous: 5000, from: 1000, count: 4 }], 6],
    ['no gap that was not', [{ previous: 0 }, { previous: 5000 }, { previous: 6000 }], undefined],
  ])('counts %s', async (_what, claims, count) => {
    const now = await stage.now();
    const first = now - 60_000;
    await stage.redis.hset(names.record, 'mark', first);
    await pause(stage, names);
    for (const { previous, from, ...facts } of claims) {
      const tick = first + (previous ?? 0) + 1000;
      const claimed = await claim(stage, names, {
        ...facts,
        ...(facts.mode === 'interval' ? { following: 1 } : { tick, following: now + 60_000 }),
        ...(previous !== undefined && { previous: first + previous }),
        ...(from !== undefined && { from: first + from }),
      });
      expect(claimed[0]).toBe(8);
      if (facts.mode === 'interval') await untilStoreClock((await stage.now()) + 2);
    }
    await pause(stage, names, 'resume');
    const [row] = await settledRows(stage, names);
    expect(row).toMatchObject({ outcome: 'paused', after: first });
    expect(row?.['count']).toBe(count);
  });

  test('has no count where an older version has moved the mark during it', async () => {
    const now = await stage.now();
    await stage.redis.hset(names.record, 'mark', now - 9000);
    await pause(stage, names);
    await claim(stage, names, { tick: now - 8000, previous: now - 9000, following: now + 60_000 });
    await stage.redis.hset(names.record, 'mark', now - 7000);
    await claim(stage, names, { tick: now - 6000, previous: now - 7000, following: now + 60_000 });
    await pause(stage, names, 'resume');
    const [row] = await settledRows(stage, names);
    expect(row).toMatchObject({ tick: now - 6000, after: now - 9000, outcome: 'paused' });
    expect(row).not.toHaveProperty('count');
  });

  test('that is requested twice is the first one, and its end too', async () => {
    expect(await pause(stage, names, 'resume')).toEqual([0, TIME]);
    expect(await pause(stage, names)).toEqual([1, TIME]);
    const state = await wholeState(stage, names);
    expect(await pause(stage, names)).toEqual([0, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
    expect(await pause(stage, names, 'resume')).toEqual([1, TIME]);
    expect(await pause(stage, names, 'resume')).toEqual([0, TIME]);
    expect(await settledRows(stage, names)).toEqual([]);
    expect(await told()).toEqual(['look']);
  });

  test('drops a queued tick: it would run at an unexpected time', async () => {
    await stage.redis.hset(names.record, { mark: 5, queued: 5 });
    await pause(stage, names);
    expect(await settledRows(stage, names)).toMatchObject([{ tick: 5, outcome: 'overlapped' }]);
    await pause(stage, names, 'resume');
    expect(await again(stage, names)).toEqual([2, TIME, 0, 5, 0, []]);
  });

  test('lets a run under way end', async () => {
    const token = await begin(stage, names);
    await pause(stage, names);
    expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
  });
});

describe('a request to run a job now', () => {
  test('notifies the instances, is granted once, and is served when its run begins', async () => {
    expect(await request(stage, names, 'r1')).toEqual([1, TIME, 'r1', 1]);
    expect(await withdraw(stage, names, 'r1')).toEqual([2, TIME, TIME, 0]);
    const [code, at, , attempt, tick] = await again(stage, names);
    expect([code, attempt, tick]).toEqual([1, 1, at]);
    expect((await again(stage, names, { holder: OTHER }))[0]).toBe(2);
    expect(await told()).toEqual(['look']);
    expect(await withdraw(stage, names, 'r1')).toEqual([2, TIME, TIME, 1]);
    expect(await noteBegin(stage, names, 'r1')).toEqual([1, TIME]);
    expect(await told()).toEqual(['look', 'served:r1']);
    expect(await withdraw(stage, names, 'r1')).toEqual([1, TIME]);
    const run = JSON.parse((await stage.redis.hget(names.record, 'run')) ?? '') as unknown;
    expect(run).toMatchObject({ tick: at, outcome: 'running', requestedBy: 'an operator' });
    expect(run).not.toHaveProperty('request');
    const state = await wholeState(stage, names);
    expect(await noteBegin(stage, names, 'r1')).toEqual([1, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
  });

  test('joins one that still waits, and lengthens its time', async () => {
    await request(stage, names, 'r1', 60_000);
    expect((await request(stage, names, 'r2', 10)).slice(0, 3)).toEqual([1, TIME, 'r1']);
    const [, , left] = await withdraw(stage, names, 'r1');
    expect(left).toBeGreaterThan(30_000);
    expect(await withdraw(stage, names, 'r2')).toEqual([0, TIME]);
  });

  test('is not made again by a repeat that comes after it was served', async () => {
    await request(stage, names, 'r1');
    await again(stage, names);
    await noteBegin(stage, names, 'r1');
    expect(await request(stage, names, 'r1')).toEqual([1, TIME, 'r1', 0]);
    expect(await stage.redis.hget(names.record, 'request')).toBeNull();
  });

  test('is known to be served also when others were served since, and not for ever', async () => {
    const serve = async (id: string) => {
      await request(stage, names, id);
      const [, , token] = await again(stage, names);
      await noteBegin(stage, names, id);
      await finish(stage, names, { token: String(token) });
    };
    const ids = Array.from({ length: 30 }, (_, at) => `6e38a1f0-0000-4000-8000-0000000000${10 + at}`);
    for (const id of ids.slice(0, 10)) await serve(id);
    for (const id of ids.slice(0, 10)) expect(await withdraw(stage, names, id)).toEqual([1, TIME]);
    expect((await request(stage, names, ids[0] ?? '')).slice(2)).toEqual([ids[0], 0]);
    expect(await withdraw(stage, names, ids[0]?.slice(1) ?? '')).toEqual([0, TIME]);
    for (const id of ids.slice(10)) await serve(id);
    expect(await withdraw(stage, names, ids[0] ?? '')).toEqual([0, TIME]);
    expect((await stage.redis.hget(names.record, 'served_before'))?.length).toBeLessThanOrEqual(800);
  });

  test('is withdrawn when its time is over', async () => {
    await request(stage, names, 'r1', 1);
    const asked = await stage.now();
    while ((await stage.now()) < asked + 5) await stage.redis.ping();
    expect(await withdraw(stage, names, 'r1')).toEqual([0, TIME]);
    expect(await again(stage, names)).toEqual([2, TIME, 0, 0, 0, []]);
  });
});

describe('a run that was requested, and has not begun', () => {
  const granted = async (onCrash: string, holder = RUNNER) => await again(stage, names, { onCrash, holder });
  const asked = async () => {
    await request(stage, names, 'r1');
    const [, at, token] = await granted('retry');
    return { at, token: String(token) };
  };

  test('is granted with its request, also by a repeat', async () => {
    await request(stage, names, 'r1');
    const first = await granted('skip');
    expect(first.slice(6)).toEqual(['r1', TIME]);
    expect((await granted('skip')).slice(2)).toEqual(first.slice(2));
    expect((await granted('skip', OTHER))[0]).toBe(2);
  });

  test('waits on when it is given back, is no tick that is handed over, and notifies the instances', async () => {
    const { token } = await asked();
    expect(await finish(stage, names, { token, outcome: 'returned' })).toEqual([1, TIME, 0]);
    expect(await told()).toEqual(['look', 'look']);
    expect(await stage.redis.hget(names.record, 'handed')).toBeNull();
    expect(await withdraw(stage, names, 'r1')).toEqual([2, TIME, TIME, 0]);
    expect((await granted('skip', OTHER)).slice(6)).toEqual(['r1', TIME]);
  });

  test('is waited for also where another request has come since, whose time was up first', async () => {
    await request(stage, names, 'r1', 200);
    await granted('skip');
    await untilStoreClock((await stage.now()) + 250);
    expect((await request(stage, names, 'r2')).slice(2, 3)).toEqual(['r2']);
    expect(await withdraw(stage, names, 'r1')).toEqual([2, TIME, TIME, 1]);
    expect(await withdraw(stage, names, 'r2')).toEqual([2, TIME, TIME, 0]);
    expect(await noteBegin(stage, names, 'r1')).toEqual([1, TIME]);
    expect(await withdraw(stage, names, 'r1')).toEqual([1, TIME]);
    expect(await withdraw(stage, names, 'r2')).toEqual([2, TIME, TIME, 0]);
    const run: unknown = JSON.parse((await stage.redis.hget(names.record, 'run')) ?? '');
    expect(run).not.toHaveProperty('until');
  });

  test('is over with its end, and its requester is notified to check', async () => {
    const { token } = await asked();
    await finish(stage, names, { token, outcome: 'failed', reason: 'kept' });
    expect(await told()).toEqual(['look', 'served:r1']);
    expect(await withdraw(stage, names, 'r1')).toEqual([0, TIME]);
    const [row] = await settledRows(stage, names);
    expect(row).toMatchObject({ outcome: 'failed', requestedBy: 'an operator' });
    expect(row).not.toHaveProperty('request');
    expect(await noteBegin(stage, names, 'r1')).toEqual([0, TIME]);
  });

  test('is over under skip when its instance has died', async () => {
    await asked();
    await stage.redis.del(names.lock);
    expect((await granted('skip', OTHER))[0]).toBe(2);
    expect(await withdraw(stage, names, 'r1')).toEqual([0, TIME]);
    expect(await settledRows(stage, names)).toMatchObject([{ outcome: 'crashed', attempt: 1 }]);
  });

  test.each([false, true])(
    'is another attempt for its request under retry when its instance has died, paused: %s',
    async (paused) => {
      const { at } = await asked();
      if (paused) await pause(stage, names);
      await stage.redis.del(names.lock);
      const [code, , , attempt, tick, , id] = await granted('retry', OTHER);
      expect([code, attempt, tick, id]).toEqual([1, 2, at, 'r1']);
      expect(await withdraw(stage, names, 'r1')).toEqual([2, TIME, TIME, 1]);
      expect(await noteBegin(stage, names, 'r1', OTHER)).toEqual([1, TIME]);
      expect(await withdraw(stage, names, 'r1')).toEqual([1, TIME]);
    },
  );

  test('is not run again under retry once its request was withdrawn', async () => {
    await asked();
    await stage.redis.hdel(names.record, 'request');
    await stage.redis.del(names.lock);
    expect((await granted('retry', OTHER))[0]).toBe(2);
  });

  test('that has begun is run again under retry, and its request is not', async () => {
    const { at } = await asked();
    await noteBegin(stage, names, 'r1');
    await stage.redis.del(names.lock);
    const reply = await granted('retry', OTHER);
    expect(reply.slice(3)).toEqual([2, at, expect.any(Array)]);
  });
});

describe('a tick that is handed over', () => {
  test.each([
    ['handed-over', 2, [{ outcome: 'handed-over', attempt: 1, reason: 'shutdown' }]],
    ['returned', 1, []],
  ])('%s: frees the lock, notifies its waiters and the instances', async (outcome, attempt, rows) => {
    const token = await begin(stage, names, { mode: 'cron', tick: 7, onCrash: 'retry' });
    await stage.listen(names.channel);
    expect(await finish(stage, names, { token, outcome, reason: 'shutdown' })).toEqual([1, TIME, 1]);
    expect(await stage.messages(names.channel)).toEqual(['0']);
    expect(await told()).toEqual(['look']);
    expect(await stage.state(names.lock)).toBe('free');
    expect(await settledRows(stage, names)).toMatchObject(rows);
    expect((await again(stage, names, { holder: OTHER, onCrash: 'retry' })).slice(3, 5)).toEqual([
      attempt,
      7,
    ]);
  });

  test('without the token of a grant that never arrived is known by its holder', async () => {
    await begin(stage, names);
    expect(await finish(stage, names, { holder: OTHER, token: '', outcome: 'returned' })).toEqual([0, TIME]);
    expect(await stage.state(names.lock)).toEqual(held({ [RUNNER]: 1 }, 10_000));
    expect(await finish(stage, names, { token: '', outcome: 'returned' })).toEqual([1, TIME, 0]);
    const state = await wholeState(stage, names);
    expect(await finish(stage, names, { token: '', outcome: 'returned' })).toEqual([0, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
  });

  test('is handed over once, however often that is repeated', async () => {
    const token = await begin(stage, names);
    await finish(stage, names, { token, outcome: 'handed-over' });
    await again(stage, names, { holder: OTHER });
    const state = await wholeState(stage, names);
    expect(await finish(stage, names, { token, outcome: 'handed-over' })).toEqual([1, TIME, 0]);
    expect(await wholeState(stage, names)).toEqual(state);
    expect(await stage.state(names.lock)).toEqual(held({ [OTHER]: 1 }, 10_000));
  });
});

describe('what has to be run again', () => {
  const retry = (holder: string) => again(stage, names, { holder, onCrash: 'retry' });

  test('is not forgotten when its job is paused, and run by hand', async () => {
    await begin(stage, names, { tick: 1000 });
    await stage.redis.del(names.lock);
    await pause(stage, names);
    await request(stage, names, 'r1');
    const [, , token] = await retry(OTHER);
    expect(await settledRows(stage, names)).toMatchObject([{ tick: 1000, outcome: 'crashed', attempt: 1 }]);
    await finish(stage, names, { holder: OTHER, token: String(token) });
    await pause(stage, names, 'resume');
    expect(await retry(RUNNER)).toMatchObject([1, expect.any(Number), expect.any(String), 2, 1000, []]);
  });

  test('waits in its order, also when several were handed over', async () => {
    const first = await begin(stage, names, { tick: 1000 });
    await finish(stage, names, { token: first, outcome: 'handed-over' });
    await pause(stage, names);
    await request(stage, names, 'r1');
    const [, , byHand] = await retry(OTHER);
    await finish(stage, names, { holder: OTHER, token: String(byHand), outcome: 'returned' });
    await pause(stage, names, 'resume');
    const [, , token, attempt, tick] = await retry(RUNNER);
    expect([tick, attempt]).toEqual([1000, 2]);
    await finish(stage, names, { token: String(token) });
    expect((await retry(OTHER))[3]).toBe(1);
  });
});

describe('a job that is forgotten', () => {
  test('leaves nothing; forgetting it again changes nothing', async () => {
    await finish(stage, names, { token: await begin(stage, names) });
    expect(await forget(stage, names)).toEqual([1, TIME, 2]);
    expect(await wholeState(stage, names)).toEqual({ lock: {}, record: {}, runs: [] });
    expect(await forget(stage, names)).toEqual([1, TIME, 0]);
  });

  test('is kept while it runs, unless it is forced', async () => {
    const token = await begin(stage, names);
    const state = await wholeState(stage, names);
    expect(await forget(stage, names)).toEqual([0, TIME]);
    expect(await wholeState(stage, names)).toEqual(state);
    expect(await forget(stage, names, 'force')).toEqual([1, TIME, 1]);
    // Nothing is stored of a run that is forgotten, but its lock is free at once.
    expect(await finish(stage, names, { token })).toEqual([1, TIME, 0]);
    expect(await wholeState(stage, names)).toEqual({ lock: {}, record: {}, runs: [] });
  });
});
