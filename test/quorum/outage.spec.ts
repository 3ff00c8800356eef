import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { endOf, type CallEnd } from '../locks/lateness.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** Ways in which three of the servers can be away. */
const OUTAGES = [
  { how: 'killed', begin: () => stage.kill(0, 1, 2) },
  { how: 'stopped', begin: () => Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause())) },
  {
    how: 'in a black hole',
    begin: (ways: readonly TcpProxy[]) => Promise.all(ways.map((way) => way.blackHole())),
  },
];

describe.each(OUTAGES)('while three of five servers are $how', ({ begin }) => {
  async function openAway(): Promise<LockService> {
    const ways = [await stage.proxy(0), await stage.proxy(1), await stage.proxy(2)];
    const service = await stage.openAll({}, { ...ways });
    await begin(ways);
    return service;
  }

  const bounds = async (calls: readonly (readonly [number, () => Promise<unknown>])[]) =>
    await Promise.all(calls.map(([expected, call]) => endOf(expected, call)));

  function expectKept(ends: readonly CallEnd[], error: unknown): void {
    for (const { end, late } of ends) {
      expect(end).toEqual(error);
      expect(late).toBeGreaterThan(-10);
      expect(late).toBeLessThan(scaled(60));
    }
  }

  const UNAVAILABLE = expect.objectContaining({
    name: 'LockUnavailableError',
    code: 'UNAVAILABLE',
    lock: 'x',
  });

  test('waitTime and signal bound every call, and no call gets a busy error', async () => {
    const lock = (await openAway()).getRedLock('x');
    const aborted = [250, 900].map((ms) => endOf(ms, () => lock.lock({ signal: AbortSignal.timeout(ms) })));
    const ends = await bounds([
      [100, () => lock.tryLock({ waitTime: 100 })],
      [500, () => lock.lock({ waitTime: 500 })],
      [1400, () => lock.using(() => 'ran', { waitTime: 1400 })],
    ]);
    expectKept(ends, UNAVAILABLE);
    expectKept(await Promise.all(aborted), expect.objectContaining({ name: 'TimeoutError' }));
    // News that are older than the outage are not told: who waited long enough heard the number of servers.
    expect(ends[2]?.end).toMatchObject({ message: expect.stringContaining('2 of 5 servers answered') });
  });

  test('a call that does not wait ends within the deadline of a round trip', async () => {
    const lock = (await openAway()).getRedLock('x');
    const start = performance.now();
    await expect(lock.tryLock()).rejects.toEqual(UNAVAILABLE);
    await expect(lock.lock({ waitTime: 0 })).rejects.toEqual(UNAVAILABLE);
    expect(performance.now() - start).toBeLessThan(2 * (300 + scaled(60)));
  });

  test('a waiter gets it soon after they are back', async () => {
    const lock = (await openAway()).getRedLock('x');
    const waiting = lock.lock();
    const early = await lock.tryLock({ waitTime: 700 }).catch((error: unknown) => error);
    expect(early).toEqual(UNAVAILABLE);
    await stage.heal();
    const start = performance.now();
    const handle = await waiting;
    expect(performance.now() - start).toBeLessThan(scaled(1500));
    expect(await handle.unlock()).toBe('released');
  });
});
