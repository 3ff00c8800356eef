import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** What the service says of the server of that number; undefined when it counts. */
const troubleOf = (service: LockService, number: number) => service['red']?.servers[number]?.trouble;

/** In ms. */
const T = 1500;

/** Times are cut to whole seconds, so a server may be counted this much later than it could be, in ms. */
const ROUNDING = 2000;

describe('servers that forgot a lock when they started', () => {
  /** A holder on servers 0, 1 and 2; then 0 and 1 start again, empty, and 3 and 4 are back. @param cut ways of the holder that stay cut */
  async function forget(holder: LockService, cut: readonly TcpProxy[] = []) {
    await stage.kill(3, 4);
    const handle = await holder.getRedLock('x').lock();
    expect(await stage.holders('x')).toEqual([...Array(3).fill(handle.holder), undefined, undefined]);
    await stage.kill(0, 1);
    for (const way of cut) way.refuse();
    await Promise.all(stage.seats.map((seat) => seat.start()));
    return handle;
  }

  test('would give it to a second holder beside the first, without a delay', async () => {
    // A holder that reaches them gets the lock there again, and may be faster than the second one.
    const ways = {
      0: await stage.proxy(0),
      1: await stage.proxy(1),
      3: await stage.proxy(3),
      4: await stage.proxy(4),
    };
    const [holder, other] = [await stage.openAll({}, ways), await stage.openAll()];
    const handle = await forget(holder, Object.values(ways));
    await stage.untilCounted(other);
    const second = await other.getRedLock('x').tryLock();
    expect([handle.isHeld, second?.isHeld]).toEqual([true, true]);
    for (const way of Object.values(ways)) way.restore();
    await Promise.all([handle.unlock(), second?.unlock()]);
  });

  test(
    'grant it to no client, with the delay, until the first holder was notified of its loss',
    async () => {
      const options = { lockWatchdogTimeout: T, redLock: {} };
      const [holder, other] = [await stage.open(options), await stage.open(options)];
      await Promise.all([stage.untilCounted(holder), stage.untilCounted(other)]);
      const handle = await forget(holder);
      const back = performance.now();
      // On a busy machine the servers may take so long to come back that it has been told by then.
      let abortedAt = handle.signal.aborted ? back : Infinity;
      handle.signal.addEventListener('abort', () => {
        abortedAt = performance.now();
      });
      const second = await other.getRedLock('x').lock();
      const grantedAt = performance.now();
      expect(handle.isHeld).toBe(false);
      expect(abortedAt).toBeLessThan(grantedAt);
      expect(grantedAt - back).toBeLessThan(T + ROUNDING + scaled(500));
      expect(second.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('lost');
      expect(await second.unlock()).toBe('released');
    },
    scaled(20_000),
  );
});

describe('a server that has just started', () => {
  const options = { lockWatchdogTimeout: T, redLock: { restartDelay: 2000 } };

  test(
    'is not counted for the delay, and reports it',
    async () => {
      await stage.kill(0, 1, 2);
      await stage.heal();
      const service = await stage.open(options);
      const refused = service.getRedLock('x').tryLock();
      await expect(refused).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringMatching(
          /[0-2] of 5 servers answered, and 3 are needed \(.*127\.0\.0\.1:\d+ has just started, and is left out of the quorum for another \d+ ms/,
        ),
      });
      const start = performance.now();
      const handle = await service.getRedLock('x').lock({ waitTime: scaled(8000) });
      expect(performance.now() - start).toBeGreaterThan(1000);
      expect(await handle.unlock()).toBe('released');
    },
    scaled(20_000),
  );

  test(
    'is not counted earlier because the way to it was cut meanwhile',
    async () => {
      const way = await stage.proxy(0);
      const service = await stage.open(options, { 0: way });
      await stage.untilCounted(service);
      await stage.kill(0);
      await stage.heal(0);
      const started = performance.now();
      const isYoung = () => troubleOf(service, 0)?.includes('has just started') === true;
      for (let time = 0; time < 3; time += 1) {
        await until('it is known to be new', isYoung);
        way.cut();
        await until('it is away', () => !isYoung());
      }
      await until('it counts', () => troubleOf(service, 0) === undefined);
      expect(performance.now() - started).toBeGreaterThan(2000 - 50);
    },
    scaled(20_000),
  );

  test(
    'is counted at once where only the way to it was cut',
    async () => {
      const way = await stage.proxy(0);
      const service = await stage.open(options, { 0: way });
      await stage.untilCounted(service);
      const start = performance.now();
      way.cut();
      await until('it is away', () => troubleOf(service, 0) !== undefined);
      await until('it counts', () => troubleOf(service, 0) === undefined);
      expect(performance.now() - start).toBeLessThan(scaled(500));
    },
    scaled(20_000),
  );

  test(
    'is queried again for its age when the answer is lost in a connection that stays open',
    async () => {
      const way = await stage.proxy(0);
      const service = await stage.open(options, { 0: way });
      await stage.untilCounted(service);
      let swallowed = false;
      way.judge(({ words }) => {
        // The client's own look at a server that has connected is an INFO as well, without a section.
        if (swallowed || words[0]?.toUpperCase() !== 'INFO' || words[1] !== 'server') return 'pass';
        swallowed = true;
        way.blackHole();
        return 'pass';
      });
      way.cut();
      await until('the question was swallowed', () => swallowed);
      expect(troubleOf(service, 0)).toContain('has not reported its uptime yet');
      way.restore();
      await until('it counts', () => troubleOf(service, 0) === undefined, 3000);
    },
    scaled(20_000),
  );

  test('counts at once where nothing is ever forgotten', async () => {
    const service = await stage.openAll({ redLock: { restartDelay: 0 } });
    await stage.kill(0);
    await stage.heal(0);
    await until('it counts', () => troubleOf(service, 0) === undefined, 1000);
    expect(await (await service.getRedLock('x').tryLock())?.unlock()).toBe('released');
  });
});
