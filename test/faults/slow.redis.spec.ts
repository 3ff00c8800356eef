import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { endOf } from '../locks/lateness.js';
import { ownRedis } from '../locks/own.redis.js';

/** In ms: longer than the lease of a slow grant, shorter than the deadline of a round trip. */
const SLOW = 300;
const LEASE = 200;

describe('a Redis that is slow or silent', () => {
  const server = ownRedis();
  let services: Services;
  let one: LockService;
  let other: LockService;
  const lock = () => one.getLock('x');

  beforeEach(async () => {
    services = new Services(server().url);
    const options = { commandTimeout: 1000, handOver: { time: '10s' } } as const;
    [one, other] = await Promise.all([services.open(options), services.open(options)]);
    await Promise.all([one, other].map((service) => service.getLock('warm').using(() => undefined)));
  });
  afterEach(async () => {
    await until('nothing is left', async () => (await services.keys()).length === 0);
    await services.close();
  });

  /** Lets Redis answer nobody for `SLOW` ms from now. */
  const slow = () => services.admin.client('PAUSE', SLOW, 'ALL');

  describe('a grant whose reply took half its lease is renewed before it is delivered', () => {
    test('where tryLock requested it', async () => {
      await slow();
      const handle = await lock().tryLock({ leaseTime: LEASE });
      expect(handle?.isHeld).toBe(true);
      expect(handle?.signal.aborted).toBe(false);
      expect(await handle?.unlock()).toBe('released');
    });

    test('where a waiter requested it', async () => {
      await slow();
      const handle = await lock().lock({ leaseTime: LEASE, waitTime: '5s' });
      expect(handle.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('released');
    });

    test('where a waiter of the same process gets it by hand-over', async () => {
      const first = await lock().lock();
      const waiting = lock().lock({ leaseTime: LEASE });
      await slow();
      expect(await first.unlock()).toBe('released');
      const handle = await waiting;
      expect(handle.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('released');
    });

    test('where a re-entry requested it', async () => {
      await lock().using(async () => {
        await slow();
        const handle = await lock().lock({ leaseTime: LEASE });
        expect(handle.isHeld).toBe(true);
        expect(await handle.unlock()).toBe('kept');
        expect(await lock().getHoldCount()).toBe(1);
      });
    });
  });

  describe('a silent Redis', () => {
    beforeEach(() => server().pause());
    afterEach(() => server().resume());

    test.each(['lock', 'tryLock'] as const)(
      'lets the signal end %s at once, also without a wait',
      async (door) => {
        for (const waitTime of [0, 5000]) {
          const signal = AbortSignal.timeout(60);
          const { end, late } = await endOf(60, () => lock()[door]({ waitTime, signal }));
          expect(end).toMatchObject({ name: 'TimeoutError' });
          expect(late).toBeLessThan(scaled(50));
        }
        await server().resume();
      },
    );

    test.each([
      ['lock', 200, 200],
      ['tryLock', 200, 200],
      ['tryLock', 0, 1000],
    ] as const)(
      'lets waitTime end %s (%i ms) in %i ms, with an error that is no refusal',
      async (door, waitTime, within) => {
        const { end, late } = await endOf(within, () => lock()[door]({ waitTime }));
        expect(end).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE', lock: 'x' });
        expect(Math.abs(late)).toBeLessThan(scaled(50));
        await server().resume();
      },
    );
  });

  test('lets waitTime and signal end a re-entry, whose late grant is given back', async () => {
    await lock().using(async () => {
      await server().pause();
      const abort = new AbortController();
      setTimeout(() => abort.abort('enough'), 60);
      const start = performance.now();
      const calls = [lock().lock({ waitTime: 100 }), lock().lock({ signal: abort.signal })];
      const [timed, aborted] = await Promise.allSettled(calls);
      expect(performance.now() - start).toBeLessThan(100 + scaled(50));
      expect(timed).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
      expect(aborted).toEqual({ status: 'rejected', reason: 'enough' });
      await server().resume();
      await until('one hold is left', async () => (await lock().getHoldCount()) === 1);
    });
  });

  test('lets a result stand whose lock could not be released in time, and releases it later', async () => {
    const [result, took] = await lock().using(async () => {
      await server().pause();
      return ['the result', performance.now()] as const;
    });
    expect(result).toBe('the result');
    expect(performance.now() - took).toBeLessThan(2000 + scaled(100));
    await server().resume();
    // Its connection may have been closed for being silent, and is opened again.
    const isFree = () =>
      other
        .getLock('x')
        .isLocked()
        .then(
          (isLocked) => !isLocked,
          () => false,
        );
    await until('the lock is free', isFree);
  });

  test('a lease that a partial unlock shortened is believed in no longer than it lasts', async () => {
    const service = await services.open({ lockWatchdogTimeout: 900 });
    const inside = service.getLock('x');
    const outer = await inside.lock();
    const inner = await outer.run(() => inside.lock({ leaseTime: '20s' }));
    expect(await inner.unlock()).toBe('kept');
    const { signal } = outer;
    await server().pause();
    const start = performance.now();
    await until('the signal is aborted', () => signal.aborted);
    expect(performance.now() - start).toBeLessThan(900 + scaled(50));
    await server().resume();
    expect(await outer.unlock()).toBe('lost');
  });

  test('a grant that arrives after its waiter left goes to the next one, or leaves no key', async () => {
    for (const stays of [true, false]) {
      await slow();
      const leaving = lock().lock({ waitTime: 100 });
      const staying = stays ? lock().lock({ waitTime: '5s' }) : undefined;
      await expect(leaving).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await (await staying)?.unlock();
      await sleep(0);
      await until('the line is empty', () => one.engine.localLocks.size === 0);
      expect(await services.keys()).toEqual([]);
    }
  });
});
