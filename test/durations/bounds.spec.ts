import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { LockService, type LockHandle } from 'nestjs-distributed-lock';
import { DistributedLockHealthIndicator } from 'nestjs-distributed-lock/health';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { request } from '../doors/door.stage.js';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { AppStage, MODULES } from './app.stage.js';

/** What each option is set to, in ms. */
const BOUND = 400;

let stage: AppStage;
beforeEach(() => {
  stage = new AppStage();
});
afterEach(() => stage.close());

const lockOf = (app: INestApplication) => app.get(LockService).getLock('x');

/** A bound that began at `start` is kept now. */
function expectNow(start: number): void {
  const lasted = performance.now() - start;
  expect(lasted).toBeGreaterThan(BOUND - 5);
  expect(lasted).toBeLessThan(BOUND + scaled(400));
}

async function aborted({ signal }: LockHandle): Promise<void> {
  await until('the signal is aborted', () => signal.aborted);
}

describe.each(MODULES)('an option of %s lasts from the call', (module) => {
  test('maxHold: from the call of lock() until the signal aborts', async () => {
    const app = await stage.open(module, { maxHold: BOUND });
    const start = performance.now();
    const handle = await lockOf(app).lock();
    await aborted(handle);
    expectNow(start);
    expect(handle.signal.reason).toMatchObject({ code: 'MAX_HOLD' });
    // Its lease goes on.
    await lockOf(app).forceUnlock();
  });

  test('warnAfter: from the call of lock() until the line about the wait', async () => {
    const app = await stage.open(module, { warnAfter: BOUND });
    const handle = await (await stage.other(module)).getLock('x').lock();
    const start = performance.now();
    const waiting = lockOf(app).lock();
    await until('it is logged', () =>
      stage.logged.some((line) => line.startsWith('warn') && line.includes('"x"')),
    );
    expectNow(start);
    await handle.unlock();
    await (await waiting).unlock();
  });

  test('shutdownTimeout: from app.close() until the signal of running work aborts', async () => {
    const app = await stage.open(module, { shutdownTimeout: BOUND });
    let running: LockHandle | undefined;
    const work = lockOf(app).using(async (handle) => {
      running = handle;
      await aborted(handle);
    });
    await until('it runs', () => running !== undefined);
    const start = performance.now();
    const closed = app.close();
    await Promise.allSettled([work]);
    expectNow(start);
    await closed;
    expectNow(start);
  });

  test('retryAfter: sent to the client of a refused call, in seconds', async () => {
    const app = await stage.open(module, { retryAfter: '2.5s' });
    const handle = await (await stage.other(module)).getLock('x').lock();
    const { status, headers } = await request(app, '/used');
    expect([status, headers.get('retry-after')]).toEqual([423, '3']);
    await handle.unlock();
  });

  test('handOver.time: a waiter of another process gets its turn within it and a hold', async () => {
    const hold = 200;
    const app = await stage.open(module, { handOver: { time: BOUND, max: 10_000 } });
    const other = (await stage.other(module)).getLock('x');
    let holds = 0;
    const row = Array.from({ length: 40 }, () =>
      lockOf(app).using(async () => {
        holds += 1;
        await sleep(hold);
      }),
    );
    await until('the row has begun', () => holds === 1);
    const start = performance.now();
    const handle = await other.lock();
    const lasted = performance.now() - start;
    await handle.unlock();
    await Promise.allSettled([app.close(), ...row]);
    expect(lasted).toBeLessThan(BOUND + hold + scaled(500));
  });
});

describe('an option of the module on Redis lasts from the call', () => {
  test('lockWatchdogTimeout: from the call of lock() of a process that dies until another process has it', async () => {
    const lockWatchdogTimeout = 900;
    const gate = await TcpProxy.open(Number(new URL(inject('redisUrl')).port));
    const mortal = await stage.services.open({ lockWatchdogTimeout }, gate.url);
    const other = await stage.services.open();
    const start = performance.now();
    await mortal.getLock('x').lock();
    gate.refuse();
    const died = performance.now();
    await (await other.getLock('x').lock()).unlock();
    expect(performance.now() - start).toBeGreaterThan(lockWatchdogTimeout - 5);
    expect(performance.now() - died).toBeLessThan(lockWatchdogTimeout + scaled(400));
    await mortal.shutDown();
    await gate.close();
  });

  test('fairLockWaitTimeout: what a waiter of a fair lock declares, from its call', async () => {
    const fairLockWaitTimeout = 60_000;
    const leaseTime = 60_000;
    const locks = await stage.services.open({ fairLockWaitTimeout });
    const handle = await (await stage.services.open()).getFairLock('x').lock({ leaseTime });
    const start = Date.now();
    const waiting = locks.getFairLock('x').lock();
    const { admin, prefix } = stage.services;
    const declared = async () =>
      Number((await admin.zrange(`redisson_lock_timeout:{${prefix}x}`, 0, '-1', 'WITHSCORES'))[1] ?? 0);
    await until('it stands in the queue', async () => (await declared()) > 0);
    // It is counted from the end of the lease that the waiter stands behind.
    const lasts = (await declared()) - start - leaseTime;
    await handle.unlock();
    await (await waiting).unlock();
    expect(lasts).toBeGreaterThan(fairLockWaitTimeout - scaled(1000));
    expect(lasts).toBeLessThan(fairLockWaitTimeout + scaled(1000));
  });
});

describe('a bound of a health check', () => {
  const server = ownRedis();

  test('maxWatchdogLate: counted from the instant at which the hold of lock() should have been renewed', async () => {
    const lockWatchdogTimeout = 3000;
    const app = await stage.boot({
      imports: [TerminusModule, stage.locks({ lockWatchdogTimeout, commandTimeout: 200 }, {}, server().url)],
      providers: [DistributedLockHealthIndicator],
    });
    const health = app.get(DistributedLockHealthIndicator);
    const start = performance.now();
    const handle = await lockOf(app).lock();
    const granted = performance.now();
    await server().pause();
    await until('the renewal is too late', async () => {
      const { locks } = await health.isHealthy('locks', { maxWatchdogLate: BOUND, timeout: 50 });
      return String(locks['reasons']).includes('a lease should have been renewed');
    });
    const now = performance.now();
    await server().resume();
    await handle.unlock();
    expect(now - start).toBeGreaterThan(lockWatchdogTimeout / 3 + BOUND - 50);
    expect(now - granted).toBeLessThan(lockWatchdogTimeout / 3 + BOUND + scaled(400));
  });
});
