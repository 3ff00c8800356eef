import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LockUnavailableError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { cutAfter, holdReply, swallowAfter } from '../support/faults/ambush.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

/** In ms. */
async function timed(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}

describe('a red lock', () => {
  test('is taken on every server under one holder id, and leaves none of its keys', async () => {
    const service = await stage.openAll();
    const handle = await service.getRedLock('x').lock();
    await until('all have it', async () => (await stage.keys('x')) === 5);
    expect(new Set(await stage.holders('x'))).toEqual(new Set([handle.holder]));
    expect(handle.holder).toMatch(/^[\da-f-]{36}:\d+$/);
    expect(await handle.unlock()).toBe('released');
    expect(handle.isHeld).toBe(false);
    await stage.expectNothingLeft();
  });

  test('is granted by three servers of five while the others are down', async () => {
    const service = await stage.openAll();
    await stage.kill(1, 3);
    const lock = service.getRedLock('x');
    const [first, second] = [await lock.tryLock(), await lock.tryLock()];
    expect([first?.isHeld, second]).toEqual([true, null]);
    expect(await stage.keys('x')).toBe(3);
    expect(await first?.unlock()).toBe('released');
    expect(await stage.keys('x')).toBe(0);
  });

  test('does not wait for the slow ones, which join it later', async () => {
    const ways = { 3: await stage.proxy(3), 4: await stage.proxy(4) };
    const service = await stage.openAll({ commandTimeout: '1s' }, ways);
    const late = Object.values(ways).map((way) => holdReply(way, 'acquire'));
    const handle = await service.getRedLock('x').lock();
    await Promise.all(late.map(({ caught }) => caught));
    expect(handle.isHeld).toBe(true);
    for (const { letGo } of late) letGo();
    await until('they have joined', () => stage.holds(service, 'x') === 5);
    await stage.wipe('x', 0, 1);
    expect(await handle.extend('30s')).toBe(true);
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
    await until('they have let go', async () => (await stage.keys('x')) === 0);
  });

  test('gives back what is granted after it was unlocked', async () => {
    const way = await stage.proxy(4);
    const service = await stage.openAll({ commandTimeout: '1s' }, { 4: way });
    const late = holdReply(way, 'acquire');
    const handle = await service.getRedLock('x').lock();
    await late.caught;
    expect(await handle.unlock()).toBe('released');
    expect((await stage.holders('x'))[4]).toBe(handle.holder);
    late.letGo();
    await until('the late one is given back', async () => (await stage.keys('x')) === 0);
  });

  test('is not completed again, by what comes late, once it had too few', async () => {
    const [way, down] = [await stage.proxy(3), 4];
    const service = await stage.openAll({ commandTimeout: '2s' }, { 3: way });
    await stage.kill(down);
    const late = holdReply(way, 'acquire');
    const handle = await service.getRedLock('x').lock();
    await late.caught;
    await stage.wipe('x', 0);
    expect(await handle.extend('30s')).toBe(false);
    expect(handle.isHeld).toBe(false);
    late.letGo();
    await until('the late one is given back', async () => (await stage.holders('x'))[3] === undefined);
    expect(handle.isHeld).toBe(false);
    expect(() => handle.assertHeld()).toThrow('only 2 of its 3 locks are held, and 3 are needed');
    expect(await handle.unlock()).toBe('lost');
  });
});

describe('a round that gets too few', () => {
  test('gives back what it got, and leaves the others theirs', async () => {
    const service = await stage.openAll();
    await stage.occupy('x', [0, 2, 4]);
    expect(await service.getRedLock('x').tryLock()).toBeNull();
    const stranger = 'stranger:1';
    // Three refusals decide the round; a grant that is answered after them is given back then.
    const theirs = [stranger, undefined, stranger, undefined, stranger].join();
    await until('only theirs are left', async () => (await stage.holders('x')).join() === theirs);
  });

  test('gives it back as well when too few servers can be reached', async () => {
    const ways = { 0: await stage.proxy(0), 1: await stage.proxy(1), 2: await stage.proxy(2) };
    const service = await stage.openAll({}, ways);
    for (const way of Object.values(ways)) way.blackHole();
    await expect(service.getRedLock('x').tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    expect(await stage.keys('x')).toBe(0);
  });

  test('sends nothing when it cannot succeed', async () => {
    const service = await stage.openAll();
    await stage.kill(0, 1, 2);
    const [seat] = stage.some(3);
    const calls = async () =>
      String(await seat?.admin.info('commandstats')).match(/cmdstat_evalsha:calls=\d+/)?.[0];
    const before = await calls();
    await expect(service.getRedLock('x').tryLock({ waitTime: 300 })).rejects.toThrow('2 of 5 servers');
    expect(await calls()).toBe(before);
  });
});

describe('a server that granted, and whose reply was lost', () => {
  test.for(['cut', 'swallowed'] as const)('is not in the way of the next round (%s)', async (how) => {
    const way = await stage.proxy(0);
    const service = await stage.openAll({ lockWatchdogTimeout: '30s' }, { 0: way });
    // Now each of the other three is needed.
    await stage.kill(1, 2);
    const ambush = how === 'cut' ? cutAfter(way, 'acquire') : swallowAfter(way, 'acquire');
    const locking = service.getRedLock('x').lock();
    await ambush;
    expect((await stage.holders('x'))[0]).toBeDefined();
    way.restore();
    // Swallowed: the deadline of the round trip, the time to find the connection dead, and one pause of the release.
    expect(await timed(locking)).toBeLessThan(scaled(how === 'cut' ? 300 : 300 + 150 + 500));
    const handle = await locking;
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
    expect(await stage.keys('x')).toBe(0);
  });
});
