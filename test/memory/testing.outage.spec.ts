import { Controller, Get, Injectable } from '@nestjs/common';
import { Cron, ScheduleModule } from '@nestjs/schedule';
import { TerminusModule } from '@nestjs/terminus';
import { DistributedLock, LockLostError, LockUnavailableError } from 'nestjs-distributed-lock';
import { afterEach, describe, expect, test } from 'vitest';
import { DistributedLockHealthIndicator } from '../../libs/distributed-lock/src/health/index.js';
import {
  DistributedLockTestingModule,
  MemoryStore,
  type DistributedLockTestingOptions,
} from '../../libs/distributed-lock/src/testing/index.js';
import { scaled } from '../support/slowness.js';
import { TestingApps } from './testing.apps.js';

const COMMAND_TIMEOUT = 100;

@Injectable()
class Invoices {
  nights = 0;

  @Cron('0 3 * * *', { timeZone: 'UTC' })
  @DistributedLock('nightly')
  async invoice(): Promise<void> {
    this.nights += 1;
  }
}

@Controller()
class Withdrawals {
  @Get()
  @DistributedLock('account')
  async withdraw(): Promise<string> {
    return 'done';
  }
}

const apps = new TestingApps();
afterEach(async () => {
  await apps.closeAll();
});

async function appOn(options: DistributedLockTestingOptions = {}, isScheduled = false) {
  return await apps.open({
    imports: [
      ...(isScheduled ? [ScheduleModule.forRoot()] : []),
      DistributedLockTestingModule.forRoot({ commandTimeout: COMMAND_TIMEOUT, ...options }),
      TerminusModule,
    ],
    providers: [Invoices, DistributedLockHealthIndicator],
    controllers: [Withdrawals],
  });
}

const UNAVAILABLE = {
  constructor: LockUnavailableError,
  code: 'UNAVAILABLE',
  message: expect.stringContaining('the test has disconnected the store'),
};

describe('a test that disconnects the store', () => {
  test('has its calls refused, and granted again afterwards', async () => {
    const { locks, control } = await appOn({ redLock: {} });
    control.disconnect();
    await expect(locks.getLock('a').tryLock()).rejects.toMatchObject(UNAVAILABLE);
    await expect(locks.getSemaphore('s').tryAcquire()).rejects.toMatchObject(UNAVAILABLE);
    await expect(locks.getRedLock('r').tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(locks.jobs.list()).rejects.toMatchObject(UNAVAILABLE);
    await expect(locks.fleet.instances()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    control.reconnect();
    await locks.getLock('a').using(() => undefined);
    await locks.getRedLock('r').using(() => undefined);
    expect(control.held()).toEqual([]);
  });

  test('gets 503 from a guarded handler, and an indicator that is down', async () => {
    const { app, control } = await appOn();
    const server = app.createNestApplication();
    await server.listen(0, '127.0.0.1');
    const url = await server.getUrl();
    control.disconnect();
    expect((await fetch(url)).status).toBe(503);
    expect(await app.get(DistributedLockHealthIndicator).isHealthy('locks')).toMatchObject({
      locks: { status: 'down' },
    });
    control.reconnect();
    expect((await fetch(url)).status).toBe(200);
    expect(await app.get(DistributedLockHealthIndicator).isHealthy('locks')).toMatchObject({
      locks: { status: 'up' },
    });
    await server.close();
  });

  test('has a lock lost when its lease ends, and no earlier', async () => {
    const lockWatchdogTimeout = scaled(1000);
    const { locks, control } = await appOn({ lockWatchdogTimeout });
    const held = await locks.getLock('a').lock();
    const start = performance.now();
    control.disconnect();
    const reason = await new Promise((resolve) =>
      held.signal.addEventListener('abort', () => resolve(held.signal.reason), { once: true }),
    );
    expect(reason).toBeInstanceOf(LockLostError);
    expect(held.isHeld).toBe(false);
    // The last renewal may be a third of the lease ago.
    expect(performance.now() - start).toBeGreaterThan(lockWatchdogTimeout / 2);
  });

  test('has a lock renewed that was disconnected for less than its lease', async () => {
    const watchdogTimeout = scaled(1500);
    const { locks, control } = await appOn({ lockWatchdogTimeout: watchdogTimeout });
    const held = await locks.getLock('a').lock();
    control.disconnect();
    await expect(locks.getLock('b').tryLock()).rejects.toMatchObject(UNAVAILABLE);
    control.reconnect();
    await new Promise((resolve) => setTimeout(resolve, watchdogTimeout));
    expect(held.isHeld).toBe(true);
    expect(await held.unlock()).toBe('released');
  });

  test('has callers wait that began to wait before, and meanwhile', async () => {
    const { locks, control } = await appOn();
    const other = await control.holdBy('other', 'a');
    const before = locks.getLock('a').using(() => 'before');
    control.disconnect();
    const meanwhile = locks.getLock('b').lock();
    await expect(locks.getLock('c').tryLock()).rejects.toMatchObject(UNAVAILABLE);
    control.reconnect();
    await (await meanwhile).unlock();
    await other.release();
    expect(await before).toBe('before');
  });

  test('has no tick run, in any application on the store', async () => {
    const store = new MemoryStore();
    const [one, two] = [await appOn({ store }, true), await appOn({ store }, true)];
    one.control.disconnect();
    expect(await one.control.advanceTick('nightly')).toMatchObject([{ ran: false, verdict: 'unavailable' }]);
    const nights = () => one.app.get(Invoices).nights + two.app.get(Invoices).nights;
    expect(nights()).toBe(0);
    two.control.reconnect();
    expect(await one.control.advanceTick('nightly')).toMatchObject([{ ran: true }]);
    expect(nights()).toBe(1);
  });

  test('has it connected again by reset()', async () => {
    const { locks, control } = await appOn();
    control.disconnect();
    await control.reset();
    expect(await locks.getLock('a').using(() => 'done')).toBe('done');
  });

  test('has another instance acquire a lock meanwhile', async () => {
    const { locks, control } = await appOn({ redLock: {} });
    control.disconnect();
    const other = await control.holdBy('other', 'a');
    await expect(control.loseLock('a')).rejects.toMatchObject(UNAVAILABLE);
    control.reconnect();
    expect(await locks.getLock('a').tryLock()).toBeNull();
    control.disconnect();
    await other.release();
    control.reconnect();
    expect(await locks.getLock('a').using(() => 'done')).toBe('done');
  });

  test('can close an application meanwhile; what others held for it is released', async () => {
    const store = new MemoryStore();
    const [one, two] = [await appOn({ store }), await appOn({ store })];
    await one.control.holdBy('other', 'a');
    one.control.disconnect();
    await one.app.close();
    two.control.reconnect();
    expect(await two.locks.getLock('a').using(() => 'done')).toBe('done');
  });
});
