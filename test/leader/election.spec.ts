import { setTimeout as sleep } from 'node:timers/promises';
import { currentLock } from 'nestjs-distributed-lock';
import { describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { Career, KEY, LeaderStage } from './leader.stage.js';
import { TEST_CLIENT } from '../support/client.choice.js';

const options = { timeout: scaled(20_000) };
/** The shortest that there is: a lease is looked at every 100 ms. */
const SHORT = { lockWatchdogTimeout: 300 };

/** Until then something must not have happened, in ms. */
async function passed(ms: number): Promise<void> {
  const start = performance.now();
  await until(`${ms} ms are over`, () => performance.now() - start > ms);
}

const play = (act: (stage: LeaderStage) => Promise<void>) => () => LeaderStage.play(act);

describe.concurrent('candidates of one key', () => {
  test(
    'have one leader at a time, two of one service as well, and the next one leads when it leaves',
    options,
    play(async ({ faults }) => {
      const [one, other] = [await faults.open(), await faults.open()];
      const careers = [new Career(one), new Career(one), new Career(other)];
      const leaders = () => careers.filter(({ election }) => election.isLeader);
      const order: Career[] = [];
      while (order.length < careers.length) {
        await until('one leads', () => leaders().length > 0);
        const [leader, ...more] = leaders();
        expect(more).toEqual([]);
        expect(order).not.toContain(leader);
        if (leader === undefined) throw new Error('unreachable');
        order.push(leader);
        expect(leader.election).toMatchObject({ key: KEY, token: leader.tokens[0] });
        await leader.election.stop();
        expect(leader.election).toMatchObject({ isLeader: false, token: undefined });
        expect([leader.tokens.length, leader.reasons.length]).toEqual([1, 1]);
        expect(leader.signals[0]?.reason).toBe(leader.reasons[0]);
      }
      const tokens = order.flatMap((career) => career.tokens);
      expect(tokens).toEqual(tokens.toSorted((a, b) => Number(a - b)));
      expect(new Set(tokens).size).toBe(3);
    }),
  );

  test(
    'end at once when they stop at the moment of the grant, and lead no more',
    options,
    play(async ({ faults }) => {
      const service = await faults.open();
      for (let turns = 0; turns < 24; turns += 1) {
        const career = new Career(service);
        const other = await service.getLock('other').lock();
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        await career.election.stop();
        const { length } = career.tokens;
        await other.unlock();
        expect([career.election.isLeader, career.tokens.length]).toEqual([false, length]);
      }
      expect(await service.getFencedLock(KEY).isLocked()).toBe(false);
    }),
  );

  test(
    'are notified of a loss by their signal, once, and stand again',
    options,
    play(async ({ faults }) => {
      const [one, other] = [await faults.open(SHORT), await faults.open()];
      const { election, signals, reasons, tokens } = new Career(one);
      await until('it leads', () => election.isLeader);
      const lock = other.getFencedLock(KEY);
      expect(await lock.getToken()).toBe(tokens[0]);
      await lock.forceUnlock();
      await until('it is told', () => reasons.length > 0);
      expect(election.isLeader).toBe(false);
      expect(signals[0]?.reason).toBe(reasons[0]);
      expect(reasons[0]).toMatchObject({ code: 'LOST', lock: KEY });
      await until('it leads again', () => election.isLeader);
      expect([tokens.length, reasons.length, signals[1]?.aborted]).toEqual([2, 1, false]);
      await election.stop();
      expect(reasons).toHaveLength(2);
    }),
  );

  test(
    'resign to others that wait, and come after them',
    options,
    play(async (stage) => {
      const { faults } = stage;
      const [one, other] = [await faults.open(), await faults.open()];
      const first = new Career(one);
      await until('the first one leads', () => first.election.isLeader);
      const second = new Career(other);
      await stage.waits();
      await first.election.resign();
      expect(first.election.isLeader).toBe(false);
      await until('the other one leads', () => second.election.isLeader, 400);
      await stage.waits();
      await second.election.resign();
      await until('it is back', () => first.election.isLeader);
      await first.election.resign();
      await Promise.all([first.election.stop(), second.election.stop()]);
      expect(first.reasons[0]).toMatchObject({ message: expect.stringContaining('the leader resigned') });
    }),
  );

  test(
    'run outside of any scope: an election that begins under the lock of its own key waits for it',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open();
      let inside: Career | undefined;
      await locks.getFencedLock(KEY).using(async () => {
        inside = new Career(locks);
        await until('it waits', () => locks.engine.localLocks.get(faults.key(KEY))?.hasWaiters ?? false);
        expect(inside.election.isLeader).toBe(false);
      });
      await until('it leads', () => inside?.election.isLeader === true);
      await inside?.election.stop();
    }),
  );

  test(
    'lead for longer than maxHold, and wait for longer than warnAfter',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open({ maxHold: 100, warnAfter: 50 });
      const notices = faults.notices(locks);
      const [leader, waiting] = [new Career(locks), new Career(locks)];
      await until('one leads', () => leader.election.isLeader);
      await passed(200);
      expect(leader.election.isLeader).toBe(true);
      expect(notices.map(({ kind }) => kind)).toEqual(['elected']);
      await Promise.all([leader.election.stop(), waiting.election.stop()]);
    }),
  );

  test(
    'go on when Redis refuses them: a refusal is logged, and does not end the candidacy',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open();
      const notices = faults.notices(locks);
      await faults.admin.set(faults.key(KEY), 'something else');
      const { election } = new Career(locks);
      await until('it was refused', () => notices.some(({ kind }) => kind === 'campaign-failed'));
      expect(notices[0]).toMatchObject({ lock: KEY, why: expect.stringContaining('WRONGTYPE') });
      await faults.admin.del(faults.key(KEY));
      await until('it leads', () => election.isLeader);
      await election.stop();
    }),
  );

  test(
    'cannot be made of what is no election',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open();
      const wrong = (callbacks: unknown) => () => locks.elect(KEY, Object(callbacks));
      expect(wrong({ onElected: 'later' })).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTION',
          message: expect.stringContaining('onElected of elect("x")'),
        }),
      );
      expect(wrong({ onRevoked: 7 })).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
      expect(() => locks.elect('')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
      await locks.getLock('y').using(() => {
        expect(() => locks.elect('y')).toThrow(expect.objectContaining({ code: 'KIND_CONFLICT' }));
      });
    }),
  );
});

describe.concurrent('the work of a leader', () => {
  test(
    'runs under the lock, in the context of its caller, and its end is no resignation',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open();
      const seen: unknown[] = [];
      const career = new Career(locks, async () => {
        seen.push(currentLock()?.name, currentLock()?.token);
        await locks.getFencedLock(KEY).using(() => seen.push('inside'));
      });
      await until('it has ended', () => seen.length === 3);
      expect(seen).toEqual([KEY, career.tokens[0], 'inside']);
      await passed(100);
      expect(career.election.isLeader).toBe(true);
      expect(career.election.token).toBeGreaterThan(career.tokens[0] ?? 0n);
      await career.election.stop();
    }),
  );

  test(
    'ends before another one leads',
    options,
    play(async ({ faults }) => {
      const [one, other] = [await faults.open({ shutdownTimeout: '5s' }), await faults.open()];
      let isWorking = false;
      const first = new Career(one, async ({ signals }) => {
        isWorking = true;
        await sleep(60_000, undefined, { signal: signals[0] }).catch(() => undefined);
        await sleep(200);
        isWorking = false;
        signals[0]?.throwIfAborted();
      });
      await until('it works', () => isWorking);
      const notices = faults.notices(one);
      let wasWorking: boolean | undefined;
      const second = new Career(other, () => (wasWorking = isWorking));
      const stopped = first.election.stop();
      expect(first.election.isLeader).toBe(false);
      await until('the other one leads', () => second.election.isLeader);
      expect(wasWorking).toBe(false);
      await stopped;
      // That its signal has ended it is no failure.
      expect(notices.map(({ kind }) => kind)).toEqual(['revoked']);
      await second.election.stop();
    }),
  );

  test(
    'that goes on is waited for up to shutdownTimeout, and is not elected beside itself',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open({ shutdownTimeout: 100 });
      const notices = faults.notices(locks);
      let end = () => undefined as unknown;
      const stubborn = new Career(locks, () => new Promise((resolve) => (end = () => resolve(undefined))));
      await until('it leads', () => stubborn.election.isLeader);
      await stubborn.election.resign();
      expect(notices.map(({ kind }) => kind)).toContain('leader-lingers');
      const other = new Career(locks);
      await until('another one leads', () => other.election.isLeader);
      await other.election.stop();
      await passed(800);
      expect(stubborn.election.isLeader).toBe(false);
      end();
      await until('it leads again', () => stubborn.election.isLeader);
      end();
      await stubborn.election.stop();
      expect(stubborn.tokens).toHaveLength(2);
    }),
  );

  test(
    'that fails is logged, and gives the leadership up, until a pause is over',
    options,
    play(async ({ faults }) => {
      const [one, other] = [await faults.open(), await faults.open()];
      const notices = faults.notices(one);
      const failing = new Career(one, async ({ tokens }) => {
        if (tokens.length === 1) throw new Error('the work has failed');
      });
      await until('it has failed', () => failing.reasons.length > 0);
      const next = new Career(other);
      await until('another one leads', () => next.election.isLeader, 700);
      expect(notices).toContainEqual(
        expect.objectContaining({ kind: 'callback-failed', lock: KEY, callback: 'onElected' }),
      );
      await next.election.stop();
      await until('it leads again', () => failing.election.isLeader);
      await failing.election.stop();
    }),
  );

  test(
    'may resign and stop, and what it throws when it is revoked is logged',
    options,
    play(async ({ faults }) => {
      const locks = await faults.open({ shutdownTimeout: '1m' });
      const notices = faults.notices(locks);
      const resigning = new Career(locks, ({ election }) => sleep(0).then(() => election.resign()));
      await until('it has resigned', () => resigning.reasons.length === 1);
      await resigning.election.stop();
      const stopping = locks.elect(KEY, {
        onElected: async () => {
          await sleep(0);
          await stopping.stop();
        },
        onRevoked: async () => {
          await stopping.stop();
          throw new Error('of the revoked');
        },
      });
      await until('it was told', () => notices.some(({ kind }) => kind === 'callback-failed'));
      await stopping.stop();
      expect(notices.at(-1)).toMatchObject({ callback: 'onRevoked', lock: KEY });
    }),
  );
});

test(
  'no candidate stands any more once the instance leaves its elections',
  options,
  play(async ({ faults }) => {
    const locks = await faults.open();
    const { election, reasons } = new Career(locks);
    await until('it leads', () => election.isLeader);
    await locks.elections.close();
    expect([election.isLeader, reasons.length]).toEqual([false, 1]);
    const late = new Career(locks);
    await locks.elections.join(KEY);
    expect([late.election.isLeader, locks.elections.leaderOf(KEY)]).toEqual([false, undefined]);
    expect(await locks.getFencedLock(KEY).isLocked()).toBe(false);
    await late.election.stop();
  }),
);

// A client of node-redis has no option for a start without Redis.
test.skipIf(TEST_CLIENT !== 'ioredis')(
  'an instance that cannot reach Redis starts nevertheless, as no leader',
  options,
  play(async ({ faults }) => {
    const locks = await faults.open({ commandTimeout: 100 }, { port: 1, lazyConnect: true });
    const start = performance.now();
    await locks.elections.join(KEY);
    expect(performance.now() - start).toBeLessThan(scaled(1000));
    expect(locks.elections.leaderOf(KEY)).toBeUndefined();
    await locks.elections.close();
  }),
);

test(
  'a leader without Redis is none before another one could be, and leads again when Redis is back',
  options,
  play(async ({ faults }) => {
    const proxy = await faults.proxy();
    const [one, other] = [
      await faults.open({ lockWatchdogTimeout: 1000, commandTimeout: 100 }, proxy),
      await faults.open(),
    ];
    const { election, reasons } = new Career(one);
    await until('it leads', () => election.isLeader);
    proxy.refuse();
    const rival = new Career(other);
    let overlaps = 0;
    await until('the other one leads', () => {
      if (election.isLeader && rival.election.isLeader) overlaps += 1;
      return rival.election.isLeader;
    });
    expect([overlaps, election.isLeader, reasons.length]).toEqual([0, false, 1]);
    proxy.restore();
    await rival.election.stop();
    await until('it leads again', () => election.isLeader);
    await election.stop();
  }),
);
