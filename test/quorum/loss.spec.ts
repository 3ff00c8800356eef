import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import {
  reentrantRelease,
  renewalRenew,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { LoopLag } from '../support/faults/loop.lag.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { passed, QuorumStage } from './quorum.stage.js';

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
const lag = new LoopLag();
afterAll(async () => {
  lag.stop();
  await stage.close();
});

/** The lease of these tests, in ms. */
const T = 2000;

/** When the signal was aborted. */
const abortOf = (signal: AbortSignal) =>
  new Promise<number>((resolve) => signal.addEventListener('abort', () => resolve(performance.now())));

describe('a red lock that is held', () => {
  test('goes on being held, and renewed, while a minority is down', async () => {
    const [service, other] = [
      await stage.openAll({ lockWatchdogTimeout: T }),
      await stage.openAll({ lockWatchdogTimeout: T }),
    ];
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    const waiting = other.getRedLock('x').lock();
    await stage.kill(1, 2);
    await passed(1.5 * T);
    expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
    expect(await stage.keys('x')).toBe(3);
    // They come back without what they knew: they alone give nobody a quorum.
    await stage.heal();
    await passed(T / 2);
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
    expect(await (await waiting).unlock()).toBe('released');
  });

  test('is not worn away when every server starts again, one after the other', async () => {
    const service = await stage.openAll({ lockWatchdogTimeout: T / 2 });
    const lock = service.getRedLock('x');
    await lock.using(async (outer) => {
      const inner = await lock.lock();
      for (const number of [0, 1, 2, 3, 4]) {
        await until('all have both', async () => (await stage.counts('x')).every((count) => count === '2'));
        await stage.kill(number);
        await stage.heal(number);
      }
      await until('all have both', async () => (await stage.counts('x')).every((count) => count === '2'));
      expect([outer.isHeld, inner.isHeld, lock.isHeld()]).toEqual([true, true, true]);
      expect([outer.signal.aborted, inner.signal.aborted]).toEqual([false, false]);
      expect(await inner.unlock()).toBe('kept');
      expect(await outer.unlock()).toBe('released');
    });
    await stage.expectNothingLeft();
  });

  test('is completed by servers that were away when it was granted, and outlives the loss of others', async () => {
    const service = await stage.openAll({ lockWatchdogTimeout: T });
    await stage.kill(3, 4);
    const handle = await service.getRedLock('x').lock();
    await stage.heal();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await stage.kill(0, 1);
    await passed(1.2 * T);
    expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
    expect(await handle.unlock()).toBe('released');
  });

  test('with a fixed lease is left as it is', async () => {
    const service = await stage.openAll({ lockWatchdogTimeout: 300 });
    await stage.kill(3, 4);
    const handle = await service.getRedLock('x').lock({ leaseTime: '20s' });
    await stage.heal();
    await stage.untilCounted(service);
    await passed(300);
    expect(await stage.keys('x')).toBe(3);
    expect(await handle.unlock()).toBe('released');
  });

  test('notifies its holder when the majority is gone, before another holder can have it', async () => {
    const options = { lockWatchdogTimeout: T, redLock: {} };
    const [service, other] = [await stage.open(options), await stage.open(options)];
    await Promise.all([stage.untilCounted(service), stage.untilCounted(other)]);
    const handle = await service.getRedLock('x').lock();
    const aborted = abortOf(handle.signal);
    const waiting = other.getRedLock('x').lock();
    await stage.untilAsleep('x');
    const killed = performance.now();
    await stage.kill(0, 2, 4);
    await stage.heal();
    const granted = waiting.then(() => performance.now());
    expect((await aborted) - killed).toBeLessThan(T + lag.worst);
    expect([handle.isHeld, handle.signal.reason]).toEqual([false, expect.any(LockLostError)]);
    expect(String(handle.signal.reason)).toContain('and 3 are needed');
    expect(() => handle.assertHeld()).toThrow(LockLostError);
    expect(await granted).toBeGreaterThan(await aborted);
    expect(await handle.unlock()).toBe('lost');
    expect(await (await waiting).unlock()).toBe('released');
  });

  test('releases what is left of it when the majority is gone, though its work goes on', async () => {
    const [service, other] = [
      await stage.openAll({ lockWatchdogTimeout: T }),
      await stage.openAll({ lockWatchdogTimeout: T }),
    ];
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    const aborted = abortOf(handle.signal);
    await stage.kill(0, 2, 4);
    // Servers that started one after the other would be acquired anew, and the majority would never be gone.
    await aborted;
    await stage.heal();
    await stage.untilCounted(other);
    const next = await other.getRedLock('x').lock();
    await until('all have the next one', () => stage.holds(other, 'x') === 5, T / 2);
    expect(() => handle.assertHeld()).toThrow('only 2 of its 5 locks are held, and 3 are needed');
    expect(await handle.unlock()).toBe('lost');
    expect(await next.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('gives back a server whose answers to renewals were lost, and gets it anew', async () => {
    const wire = await stage.proxy(0);
    const service = await stage.openAll({ lockWatchdogTimeout: T }, { 0: wire });
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    const { holder } = handle;
    let isReleased = false;
    wire.judge(({ words }) => {
      isReleased ||= words[1] === reentrantRelease.sha1 && words.includes(holder);
      return words[1] === renewalRenew.sha1 && words.includes(holder)
        ? { answered: () => new Promise(() => undefined) }
        : 'pass';
    });
    // Redis has renewed it, and would keep it from its own holder for a lease.
    await until('the old one is given back', () => isReleased, 2 * T);
    wire.judge(() => 'pass');
    await until('all have it', () => stage.holds(service, 'x') === 5);
    expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
    expect(await handle.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('is lost at its deadline, not later, while the majority stays silent', async () => {
    const service = await stage.openAll({ lockWatchdogTimeout: T });
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    const aborted = abortOf(handle.signal);
    await Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause()));
    const silent = performance.now();
    expect(handle.isHeld).toBe(true);
    const took = (await aborted) - silent;
    // Renewed a third of the lease before, at most; and not believed in up to its very end.
    expect(took).toBeGreaterThan(T / 2);
    expect(took).toBeLessThan(T + lag.worst);
    expect(handle.isHeld).toBe(false);
    await stage.heal();
    expect(await handle.unlock()).toBe('lost');
  });

  test('with a fixed lease ends on time', async () => {
    const service = await stage.openAll();
    const sent = performance.now();
    const handle = await service.getRedLock('x').lock({ leaseTime: 600 });
    const aborted = abortOf(handle.signal);
    const next = service.getRedLock('x').lock();
    // What is left of a lease is counted from before it was asked for, less a margin for clocks that differ: 5 % of it, at least 20 ms.
    expect((await aborted) - sent).toBeGreaterThan(600 - 30 - 5);
    expect((await aborted) - sent).toBeLessThan(600 + lag.worst);
    await next;
    expect(performance.now() - sent).toBeGreaterThan(599);
    expect(performance.now() - sent).toBeLessThan(600 + scaled(150) + lag.worst);
    expect(await handle.unlock()).toBe('lost');
    expect(await (await next).unlock()).toBe('released');
  });

  test('is released at once, though a minority is down', async () => {
    const service = await stage.openAll();
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await stage.kill(0, 1);
    const start = performance.now();
    expect(await handle.unlock()).toBe('released');
    expect(performance.now() - start).toBeLessThan(scaled(100) + lag.worst);
    expect(await (await service.getRedLock('x').tryLock())?.unlock()).toBe('released');
  });

  test('by three servers is released, though one of them is down: those that never had it make up for it', async () => {
    const service = await stage.openAll();
    await stage.kill(3, 4);
    const handle = await service.getRedLock('x').lock();
    await stage.heal();
    await stage.untilCounted(service);
    await stage.kill(0);
    const start = performance.now();
    expect(await handle.unlock()).toBe('released');
    // It waits for the third one as long as for a round trip, and its repetition.
    expect(performance.now() - start).toBeLessThan(2 * 300 + scaled(100) + lag.worst);
    expect(await (await service.getRedLock('x').tryLock())?.unlock()).toBe('released');
  });

  test('is not reported as released when too many do not answer, and goes on being released', async () => {
    const service = await stage.openAll();
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await Promise.all(stage.some(0, 1, 2).map((seat) => seat.pause()));
    await expect(handle.unlock()).rejects.toMatchObject({
      name: 'LockUnavailableError',
      code: 'UNAVAILABLE',
    });
    await stage.heal();
    await until('all have let go', async () => (await stage.keys('x')) === 0);
  });

  test('is reported as lost when the servers do not know it, though its holder still relied on it', async () => {
    const service = await stage.openAll();
    const handle = await service.getRedLock('x').lock();
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await stage.wipe('x', 0, 1, 2);
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('lost');
    await until('the others have let go', async () => (await stage.keys('x')) === 0);
  });
});
