import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { ownRedis } from './own.redis.js';

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
    test('to tryLock', async () => {
      await slow();
      const handle = await lock().tryLock({ leaseTime: LEASE });
      expect(handle?.isHeld).toBe(true);
      expect(handle?.signal.aborted).toBe(false);
      expect(await handle?.unlock()).toBe('released');
    });

    test('to a waiter', async () => {
      await slow();
      const handle = await lock().lock({ leaseTime: LEASE, waitTime: '5s' });
      expect(handle.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('released');
    });

    test('to a waiter of the same process, by hand-over', async () => {
      const first = await lock().lock();
      const waiting = lock().lock({ leaseTime: LEASE });
      await slow();
      expect(await first.unlock()).toBe('released');
      const handle = await waiting;
      expect(handle.isHeld).toBe(true);
      expect(await handle.unlock()).toBe('released');
    });

    test('to a re-entry', async () => {
      await lock().using(async () => {
        await slow();
        const handle = await lock().lock({ leaseTime: LEASE });
        expect(handle.isHeld).toBe(true);
        expect(await handle.unlock()).toBe('kept');
        expect(await lock().getHoldCount()).toBe(1);
      });
    });
  });

  describe('a Redis that says nothing', () => {
    beforeEach(() => server().pause());
    afterEach(() => server().resume());

    async function endOf(call: Promise<unknown>): Promise<[reason: unknown, took: number]> {
      const start = performance.now();
      const reason: unknown = await call.then(
        () => 'granted',
        (error: unknown) => error,
      );
      return [reason, performance.now() - start];
    }

    test.each(['lock', 'tryLock'] as const)(
      'lets the signal end %s at once, also without a wait',
      async (door) => {
        for (const waitTime of [0, 5000]) {
          const abort = new AbortController();
          setTimeout(() => abort.abort('enough'), 60);
          const [reason, took] = await endOf(lock()[door]({ waitTime, signal: abort.signal }));
          expect(reason).toBe('enough');
          expect(took).toBeLessThan(60 + scaled(50));
        }
        await server().resume();
      },
    );

    test('lets waitTime end a wait, with an error that is no refusal', async () => {
      for (const call of [lock().lock({ waitTime: 200 }), lock().tryLock({ waitTime: 200 })]) {
        const [reason, took] = await endOf(call);
        expect(reason).toMatchObject({ name: 'LockUnavailableError', code: 'UNAVAILABLE', lock: 'x' });
        expect(took).toBeLessThan(200 + scaled(50));
      }
      const [reason, took] = await endOf(lock().tryLock());
      expect(reason).toMatchObject({ code: 'UNAVAILABLE' });
      expect(took).toBeLessThan(1000 + scaled(50));
      await server().resume();
    });
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
    await until('the lock is free', async () => !(await other.getLock('x').isLocked()));
  });

  test('a grant that arrives after its waiter left goes to the next one, or leaves no key', async () => {
    for (const stays of [true, false]) {
      await slow();
      const leaving = lock().lock({ waitTime: 100 });
      const staying = stays ? lock().lock({ waitTime: '5s' }) : undefined;
      await expect(leaving).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await (await staying)?.unlock();
      await sleep(0);
      await until('the line is empty', () => one.engine.lines.size === 0);
      expect(await services.keys()).toEqual([]);
    }
  });
});
