import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { until } from '../support/until.js';
import { passed, QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => {
  vi.restoreAllMocks();
  return stage.clear();
});
afterAll(() => stage.close());

/** Long before the first renewal, in ms: the lease of these tests is the default one, of 30 s. */
const SOON = 3000;

/** How many scripts a server has run. */
async function scriptsOf(number: number): Promise<number> {
  const [text = ''] = await Promise.all(stage.some(number).map(({ admin }) => admin.info('commandstats')));
  return [...text.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  );
}

describe('a red lock that was granted by three servers of five', () => {
  const stop = async () => void (await Promise.all(stage.some(3, 4).map((seat) => seat.pause())));
  const resume = async () => {
    // The requests that were sent before have failed by now.
    await passed(400);
    await stage.heal();
  };

  test.each([
    ['are down', () => stage.kill(3, 4), () => stage.heal()],
    ['do not answer', stop, resume],
    ['have it for another holder', () => stage.occupy('x', [3, 4]), () => stage.wipe('x', 3, 4)],
  ] as const)(
    'while two %s is soon held on all, and outlives the data of one of the three',
    async (_, leave, comeBack) => {
      const service = await stage.openAll();
      await leave();
      const handle = await service.getRedLock('x').lock();
      await comeBack();
      await until('all have it', () => stage.holds(service, 'x') === 5, SOON);
      await stage.kill(0);
      await stage.heal();
      expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
      expect(await handle.unlock()).toBe('released');
    },
  );

  test('is requested from the others also after a suspended machine, once it is confirmed', async () => {
    const service = await stage.openAll();
    await stage.occupy('x', [3, 4]);
    const handle = await service.getRedLock('x').lock();
    await Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause()));
    const wallClock = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => wallClock() + 5000);
    expect(handle.isHeld).toBe(false);
    // The first request would be sent meanwhile.
    await passed(400);
    expect(handle.isHeld).toBe(false);
    await stage.heal();
    await until('the servers have confirmed it', () => handle.isHeld);
    await stage.wipe('x', 3, 4);
    await until('all have it', () => stage.holds(service, 'x') === 5, SOON);
    expect(await handle.unlock()).toBe('released');
  });

  test('re-enters the others as well, once they are there', async () => {
    const service = await stage.openAll();
    const lock = service.getRedLock('x');
    await stage.kill(3, 4);
    await lock.using(async (outer) => {
      const inner = await lock.lock();
      await stage.heal();
      await until(
        'all have both',
        async () => (await stage.counts('x')).every((count) => count === '2'),
        2 * SOON,
      );
      expect([outer.isHeld, inner.isHeld]).toEqual([true, true]);
      expect(await inner.unlock()).toBe('kept');
    });
    await stage.expectNothingLeft();
  });

  test('is requested from the others less and less often while they refuse, and never after its release', async () => {
    const service = await stage.openAll();
    await stage.occupy('x', [3, 4]);
    const before = await scriptsOf(3);
    const handle = await service.getRedLock('x').lock();
    await passed(3500);
    // At the grant, and then after 200, 600, 1400 and 3000 ms.
    const whileHeld = (await scriptsOf(3)) - before;
    expect(whileHeld).toBeGreaterThanOrEqual(3);
    expect(whileHeld).toBeLessThanOrEqual(5);
    expect(await handle.unlock()).toBe('released');
    await passed(1000);
    expect((await scriptsOf(3)) - before).toBe(whileHeld);
    expect(service.engine.context.wheel.size).toBe(0);
  });
});

test('a red lock that all servers have granted requests nothing until its first renewal', async () => {
  const service = await stage.openAll();
  const handle = await service.getRedLock('x').lock();
  await until('all have it', () => stage.holds(service, 'x') === 5);
  const before = await Promise.all([0, 1, 2, 3, 4].map(scriptsOf));
  await passed(1000);
  expect(await Promise.all([0, 1, 2, 3, 4].map(scriptsOf))).toEqual(before);
  expect(await handle.unlock()).toBe('released');
});
