import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { assertLocked, currentLock } from '../../libs/distributed-lock/src/locks/current.lock.js';
import type { SectionListener } from '../../libs/distributed-lock/src/events/lock.events.js';
import { holdReply } from '../support/faults/ambush.js';
import { endOf } from '../locks/lateness.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { passed, QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('a scope that holds a red lock', () => {
  test('takes it again, keeps it at a partial unlock, and frees it at the last', async () => {
    const [service, other] = [await stage.openAll(), await stage.openAll()];
    const lock = service.getRedLock('x');
    expect(lock.isHeld()).toBe(false);
    await lock.using(async (outer) => {
      await until('all have it', () => stage.holds(service, 'x') === 5);
      expect([lock.isHeld(), currentLock() === outer]).toEqual([true, true]);
      assertLocked('x');
      const [first, second] = await Promise.all([lock.lock(), lock.tryLock()]);
      expect(new Set([outer.holder, first.holder, second?.holder]).size).toBe(1);
      await until('all count three', async () => (await stage.counts('x')).every((count) => count === '3'));
      expect(await first.unlock()).toBe('kept');
      expect(await second?.unlock()).toBe('kept');
      await until('all count one', async () => (await stage.counts('x')).every((count) => count === '1'));
      expect([first.isHeld, outer.isHeld, await other.getRedLock('x').tryLock()]).toEqual([
        false,
        true,
        null,
      ]);
      expect(await outer.unlock()).toBe('released');
      expect(lock.isHeld()).toBe(false);
    });
    expect(await (await other.getRedLock('x').tryLock())?.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('takes it again after a suspend, while it is in doubt', async () => {
    const lock = (await stage.openAll()).getRedLock('x');
    await lock.using(async (outer) => {
      const now = Date.now.bind(Date);
      vi.spyOn(Date, 'now').mockImplementation(() => now() + 5000);
      try {
        const again = await lock.lock({ waitTime: '2s' });
        expect(await again.unlock()).toBe('kept');
      } finally {
        vi.restoreAllMocks();
      }
      expect(outer.isHeld).toBe(true);
    });
    await stage.expectNothingLeft();
  });

  test('goes on with it when it unlocks in another order', async () => {
    const lock = (await stage.openAll()).getRedLock('x');
    const outer = await lock.lock();
    await outer.run(async () => {
      const inner = await lock.lock();
      expect(await outer.unlock()).toBe('kept');
      expect([lock.isHeld(), outer.isHeld, inner.isHeld]).toEqual([true, false, true]);
      expect(await inner.unlock()).toBe('released');
      expect(lock.isHeld()).toBe(false);
    });
  });

  test('is not another scope of its process, nor another service', async () => {
    const [service, other] = [await stage.openAll(), await stage.openAll()];
    await service.getRedLock('x').using(async () => {
      expect(other.getRedLock('x').isHeld()).toBe(false);
      expect(await other.getRedLock('x').tryLock()).toBeNull();
      expect(service.getRedLock('y').isHeld()).toBe(false);
    });
    const held = await service.getRedLock('x').lock();
    expect(await service.getRedLock('x').tryLock()).toBeNull();
    expect(await held.unlock()).toBe('released');
  });

  test('re-enters also by servers that joined after it began, without some of the first', async () => {
    const ways = { 3: await stage.proxy(3), 4: await stage.proxy(4) };
    const service = await stage.openAll({ commandTimeout: '1s' }, ways);
    const lock = service.getRedLock('x');
    const late = Object.values(ways).map((way) => holdReply(way, 'acquire'));
    await lock.using(async (outer) => {
      for (const { caught, letGo } of late) {
        await caught;
        letGo();
      }
      await until('they have joined', () => stage.holds(service, 'x') === 5);
      await stage.kill(0, 1);
      await until('two are away', () => stage.untilCounted(service).then(() => true));
      await stage.wipe('x');
      expect([outer.isHeld, lock.isHeld()]).toEqual([true, true]);
      const again = await lock.lock({ waitTime: '2s' });
      expect(again.isHeld).toBe(true);
      expect(await again.unlock()).toBe('kept');
    });
  });

  test('waits, to re-enter, for servers that are away for a moment', async () => {
    const service = await stage.openAll();
    const lock = service.getRedLock('x');
    await lock.using(async () => {
      await until('all have it', () => stage.holds(service, 'x') === 5);
      const paused = stage.some(0, 1, 2);
      await Promise.all(paused.map((seat) => seat.pause()));
      const again = lock.lock();
      const bounded = await Promise.all([
        endOf(200, () => lock.tryLock({ waitTime: 200 })),
        endOf(700, () => lock.lock({ waitTime: 700 })),
      ]);
      for (const { end, late } of bounded) {
        expect(end).toMatchObject({ code: 'UNAVAILABLE', lock: 'x' });
        expect(late).toBeLessThan(scaled(80));
      }
      await stage.heal();
      expect(await (await again).unlock()).toBe('kept');
    });
  });
});

test('a refused request of a scope is no failure of the work that the scope runs', async () => {
  const service = await stage.openAll();
  const lock = service.getRedLock('x');
  const failures: unknown[] = [];
  const listener: SectionListener = {
    around: (_acquisition, work) => {
      const result = work();
      if (result instanceof Promise) result.catch((error: unknown) => void failures.push(error));
    },
  };
  await lock.using(async () => {
    service.events.listen(listener);
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await lock.using(async () => {
      await Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause()));
      await expect(lock.lock({ waitTime: 50 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await stage.heal();
    });
  });
  expect(failures).toEqual([]);
});

describe('a red lock is extended', () => {
  test('by a quorum, without those that are away', async () => {
    const service = await stage.openAll();
    const handle = await service.getRedLock('x').lock({ leaseTime: 1000 });
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await Promise.all(stage.some(3, 4).map((seat) => seat.pause()));
    const start = performance.now();
    expect(await handle.extend('20s')).toBe(true);
    expect(performance.now() - start).toBeLessThan(scaled(100));
    await passed(1100);
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
  });

  test('unless there is no quorum: it is refused where the lock is gone, and fails where that is not known', async () => {
    const service = await stage.openAll();
    const gone = await service.getRedLock('x').lock();
    const unsure = await service.getRedLock('y').lock();
    await until('all have them', () => stage.holds(service, 'x') + stage.holds(service, 'y') === 10);
    await stage.wipe('x', 0, 1, 2);
    expect(await gone.extend('20s')).toBe(false);
    await Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause()));
    await expect(unsure.extend('20s')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect([gone.isHeld, unsure.isHeld]).toEqual([false, true]);
    await stage.heal();
    expect(await gone.unlock()).toBe('lost');
    expect(await unsure.unlock()).toBe('released');
  });

  test('and acquired no longer than a server that has started is not counted', async () => {
    const service = await stage.open({ lockWatchdogTimeout: 1000, redLock: { restartDelay: '2s' } });
    const lock = service.getRedLock('x');
    const refusal = {
      code: 'INVALID_OPTION',
      message: expect.stringContaining('must not be longer than redLock.restartDelay (2000 ms)'),
    };
    await expect(lock.lock({ leaseTime: 2001 })).rejects.toMatchObject(refusal);
    await expect(lock.tryLock({ leaseTime: '1m' })).rejects.toMatchObject(refusal);
    await stage.untilCounted(service);
    const handle = await lock.lock({ leaseTime: 2000 });
    await expect(handle.extend(2001)).rejects.toMatchObject(refusal);
    expect(await handle.extend(2000)).toBe(true);
    expect(await handle.unlock()).toBe('released');
  });
});
