import { Controller, Get, Injectable, Logger, type Type } from '@nestjs/common';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import {
  DistributedLock,
  LockLostError,
  LockNotAcquiredError,
  LockService,
  type LockHandle,
} from 'nestjs-distributed-lock';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  DistributedLockTestingModule,
  LockTestingControl,
  MemoryStore,
  type DistributedLockTestingOptions,
} from '../../libs/distributed-lock/src/testing/index.js';
import { until } from '../support/until.js';
import { TestingApps } from './testing.apps.js';

@Injectable()
class Accounts {
  withdrawals = 0;
  nights = 0;
  fails = false;

  @DistributedLock((id: string) => `account:${id}`)
  async withdraw(id: string): Promise<string> {
    this.withdrawals += 1;
    return id;
  }

  @Cron('0 3 * * *', { timeZone: 'UTC' })
  @DistributedLock('nightly')
  async invoice(): Promise<void> {
    this.nights += 1;
    if (this.fails) throw new Error('no paper');
  }
}

@Controller('withdrawals')
class Withdrawals {
  constructor(private readonly accounts: Accounts) {}

  @Get()
  withdraw(): Promise<string> {
    return this.accounts.withdraw('7');
  }
}
Reflect.defineMetadata('design:paramtypes', [Accounts], Withdrawals);

const apps = new TestingApps();
afterEach(async () => {
  vi.useRealTimers();
  await apps.closeAll();
});

async function appOn(
  options: DistributedLockTestingOptions = {},
  scheduled = false,
  others: readonly Type<unknown>[] = [],
) {
  const opened = await apps.open({
    imports: [
      ...(scheduled ? [ScheduleModule.forRoot()] : []),
      DistributedLockTestingModule.forRoot(options),
    ],
    providers: [Accounts, ...others],
    controllers: [Withdrawals],
  });
  return { ...opened, accounts: opened.app.get(Accounts) };
}

describe('a decorated method', () => {
  test('runs under its lock', async () => {
    const { accounts, control } = await appOn();
    await expect(accounts.withdraw('7')).resolves.toBe('7');
    expect(control.held()).toEqual([]);
  });

  test('is refused while another holder has its lock, with the name of that holder', async () => {
    const { accounts, control } = await appOn();
    await using other = await control.holdBy('other', 'account:7');
    expect(control.isHeld('account:7')).toBe(true);
    expect(control.held()).toEqual([{ name: 'account:7', kind: 're-entrant lock', holder: other.holder }]);
    const refusal = await accounts.withdraw('7').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(LockNotAcquiredError);
    expect(refusal).toMatchObject({ heldBy: { holder: 'other:1' } });
    await expect(accounts.withdraw('8')).resolves.toBe('8');
    await other.release();
    await expect(accounts.withdraw('7')).resolves.toBe('7');
  });

  test('answers 423 with Retry-After over HTTP', async () => {
    const { app, control } = await appOn();
    const server = app.createNestApplication();
    await server.listen(0, '127.0.0.1');
    const busy = await control.holdBy('other', 'account:7');
    const url = `${await server.getUrl()}/withdrawals`;
    const refused = await fetch(url);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([423, '1']);
    await busy.release();
    expect((await fetch(url)).status).toBe(200);
    await server.close();
  });
});

describe('loseLock', () => {
  test.each([
    ['a re-entrant lock', (locks: LockService): Promise<LockHandle> => locks.getLock('x').lock()],
    ['a fair lock', (locks: LockService) => locks.getFairLock('x').lock()],
    ['a fenced lock', (locks: LockService) => locks.getFencedLock('x').lock()],
    ['a read lock', (locks: LockService) => locks.getReadWriteLock('x').readLock().lock()],
    ['a write lock', (locks: LockService) => locks.getReadWriteLock('x').writeLock().lock()],
  ])('aborts the signal of the holder of %s, and grants the lock to a waiter', async (kind, lock) => {
    const store = new MemoryStore();
    const [one, two] = [await appOn({ store }), await appOn({ store })];
    const handle = await lock(one.locks);
    const { signal } = handle;
    const next =
      kind === 'a read lock' ? two.locks.getReadWriteLock('x').writeLock().lock() : lock(two.locks);
    await expect(two.control.loseLock('x')).resolves.toBe(true);
    expect(signal.reason).toBeInstanceOf(LockLostError);
    expect(handle.isHeld).toBe(false);
    await expect(handle.unlock()).resolves.toBe('lost');
    await expect((await next).unlock()).resolves.toBe('released');
    expect(store.keyNames().filter((key) => !key.includes('token'))).toEqual([]);
  });

  test('gives the permit of a semaphore back', async () => {
    const { locks, control } = await appOn();
    const permits = locks.getPermitExpirableSemaphore('x');
    await permits.trySetPermits(1);
    const handle = await permits.acquire();
    await control.loseLock('x');
    expect(handle.isHeld).toBe(false);
    expect(await permits.availablePermits()).toBe(1);
  });

  test('reports a lock that was not held', async () => {
    const { control } = await appOn();
    await expect(control.loseLock('x')).resolves.toBe(false);
  });
});

test('another holder is refused what it has already, whichever control is asked', async () => {
  const { app, control } = await appOn();
  const other = await control.holdBy('other', 'x');
  const again = LockTestingControl.of(app);
  await expect(again.holdBy('other', 'x')).rejects.toMatchObject({ code: 'NOT_ACQUIRED' });
  await other.release();
  const next = await again.holdBy('other', 'x');
  expect([other.holder, next.holder]).toEqual(['other:1', expect.not.stringMatching(/^other:1$/)]);
  await next.release();
});

test('another holder keeps its lock for longer than the maxHold of the application', async () => {
  const { control } = await appOn({ maxHold: 30, warnAfter: 10 });
  const other = await control.holdBy('other', 'x');
  const from = performance.now();
  await until('maxHold is over', () => performance.now() > from + 100);
  expect(control.isHeld('x')).toBe(true);
  await other.release();
  expect(control.isHeld('x')).toBe(false);
});

test('the list of locks has semaphores and latches, too', async () => {
  const { locks } = await appOn();
  await locks.getSemaphore('printers').trySetPermits(3);
  await locks.getCountDownLatch('reports').trySetCount(2);
  const { locks: found } = await locks.fleet.locks();
  expect(found.map(({ name, left }) => [name, left])).toEqual([
    ['printers', 3],
    ['reports', 2],
  ]);
  expect(await locks.fleet.lock('printers')).toMatchObject({ left: 3 });
});

test('a waiter waits until the other lets go', async () => {
  const { locks, control } = await appOn();
  const other = await control.holdBy('other', 'x');
  let isIn = false;
  const waiting = locks.getLock('x').using(() => {
    isIn = true;
  });
  await until(
    'it waits',
    () => locks.engine.localLocks.get('lock:x')?.hasWaiters === true || locks.engine.localLocks.size > 0,
  );
  expect(isIn).toBe(false);
  await other.release();
  await waiting;
  expect(isIn).toBe(true);
});

describe('advanceTick', () => {
  test('does not run a job that is off on every instance', async () => {
    const { app, accounts } = await appOn({}, true);
    for (const job of app.get(SchedulerRegistry).getCronJobs().values()) void job.stop();
    const [row] = await app.get(LockTestingControl).advanceTick('nightly');
    expect(row).toMatchObject({ ran: false, verdict: 'off' });
    expect(accounts.nights).toBe(0);
  });

  test('runs the next tick on one instance of the store, and the one after it on one as well', async () => {
    const store = new MemoryStore();
    const [one, two] = [await appOn({ store }, true), await appOn({ store }, true)];
    const [first] = await one.control.advanceTick('nightly');
    const [second] = await two.control.advanceTick();
    expect(first).toMatchObject({ job: 'nightly', ran: true, verdict: 'granted' });
    expect(first?.tick.getUTCHours()).toBe(3);
    expect(Number(second?.tick) - Number(first?.tick)).toBe(24 * 3_600_000);
    expect(one.accounts.nights + two.accounts.nights).toBe(2);
    const runs = await one.locks.getRuns('nightly');
    expect(runs.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  test('does not run a tick whose lock is held, nor one of a paused job', async () => {
    const { control, accounts, locks } = await appOn({}, true);
    const other = await control.holdBy('other', 'nightly');
    await expect(control.advanceTick('nightly')).resolves.toMatchObject([
      { ran: false, verdict: 'overlapped' },
    ]);
    await other.release();
    await locks.jobs.pause('nightly');
    await expect(control.advanceTick('nightly')).resolves.toMatchObject([{ ran: false, verdict: 'paused' }]);
    expect(accounts.nights).toBe(0);
  });

  test('rejects as the method does, and the run has failed', async () => {
    const { control, accounts, locks } = await appOn({}, true);
    accounts.fails = true;
    await expect(control.advanceTick('nightly')).rejects.toThrow('no paper');
    await expect(locks.getRuns('nightly')).resolves.toMatchObject([
      { outcome: 'failed', reason: 'no paper' },
    ]);
  });

  test('leaves a job out whose schedule has no time, and says so when it is called for that one', async () => {
    class Others {
      @Cron('0 0 30 2 *', { timeZone: 'UTC' })
      @DistributedLock('never')
      async never(): Promise<void> {}
    }
    const { control, accounts } = await appOn({}, true, [Others]);
    expect((await control.advanceTick()).map(({ job, ran }) => [job, ran])).toEqual([['nightly', true]]);
    expect(accounts.nights).toBe(1);
    await expect(control.advanceTick('never')).rejects.toThrow(
      'schedule of the job "never" has no next time',
    );
  });

  test('names the existing jobs when it is called for another one', async () => {
    const { control } = await appOn({}, true);
    await expect(control.advanceTick('weekly')).rejects.toThrow('the job "weekly"; known jobs: "nightly"');
  });
});

test('reset begins anew: no lock is held, and nothing is remembered', async () => {
  const { control, locks } = await appOn({ shutdownTimeout: 0 }, true);
  const handle = await locks.getLock('x').lock();
  await control.holdBy('other', 'y');
  await control.advanceTick();
  await control.reset();
  expect(handle.isHeld).toBe(false);
  expect(control.held()).toEqual([]);
  expect(control.store.keyNames()).toEqual([]);
  await expect(locks.getLock('y').tryLock()).resolves.not.toBeNull();
});

test('reset begins anew also for red locks, and grants those that waited', async () => {
  const store = new MemoryStore();
  const [one, two] = [await appOn({ store }), await appOn({ store })];
  const red = await one.locks.getRedLock('r').lock();
  await one.locks.getLock('x').lock();
  await one.control.holdBy('other', 'y');
  const waiting = Promise.all([
    two.locks.getRedLock('r').lock(),
    two.locks.getLock('x').lock(),
    two.locks
      .getFairLock('z')
      .lock()
      .then(() => two.locks.getLock('y').lock()),
  ]);
  const isHeard = (at: MemoryStore, count: number) => at.channels.names().length >= count;
  await until('they wait', () => isHeard(store, 2) && store.servers.every((server) => isHeard(server, 1)));
  await one.control.reset();
  expect(red.isHeld).toBe(false);
  const held = await waiting;
  expect(held.map(({ name, isHeld }) => [name, isHeld])).toEqual([
    ['r', true],
    ['x', true],
    ['y', true],
  ]);
});

test('a red lock is one among those that are held, and can be lost', async () => {
  const { control, locks } = await appOn();
  const red = await locks.getRedLock('r').lock();
  expect(control.isHeld('r')).toBe(true);
  expect(control.held()).toEqual([{ name: 'r', kind: 'red lock', holder: red.holder }]);
  await expect(control.loseLock('r')).resolves.toBe(true);
  expect(red.isHeld).toBe(false);
  expect(control.held()).toEqual([]);
  await expect(locks.getRedLock('r').tryLock()).resolves.not.toBeNull();
});

test('red locks stand on three stores of their own', async () => {
  const { locks } = await appOn();
  const handle = await locks.getRedLock('x').lock();
  await expect(locks.getRedLock('x').tryLock()).resolves.toBeNull();
  await handle.unlock();
  const again = await locks.getRedLock('x').lock();
  await again.unlock();
});

test.each([
  ['everything', undefined],
  ['timers and dates', ['setTimeout', 'clearTimeout', 'Date'] as const],
])('a lease ends by the clock of a test that fakes %s', async (_what, toFake) => {
  vi.useFakeTimers(toFake && { toFake: [...toFake, 'performance'] });
  const { locks, control } = await appOn();
  const handle = await locks.getLock('x').lock({ leaseTime: '10s' });
  await vi.advanceTimersByTimeAsync(9000);
  expect(handle.isHeld).toBe(true);
  await vi.advanceTimersByTimeAsync(1500);
  expect(handle.isHeld).toBe(false);
  expect(control.isHeld('x')).toBe(false);
  const renewed = await locks.getLock('x').lock();
  await vi.advanceTimersByTimeAsync(300_000);
  expect(renewed.isHeld).toBe(true);
  await renewed.unlock();
});

test('the schedule itself fires by a faked clock, on one of two instances', async () => {
  vi.useFakeTimers({ now: new Date('2026-03-01T02:59:00Z') });
  const store = new MemoryStore();
  const [one, two] = [await appOn({ store }, true), await appOn({ store }, true)];
  await vi.advanceTimersByTimeAsync(61_000);
  expect(one.accounts.nights + two.accounts.nights).toBe(1);
  await vi.advanceTimersByTimeAsync(24 * 3_600_000);
  expect(one.accounts.nights + two.accounts.nights).toBe(2);
  await apps.closeAll();
});

test('warns in production', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  vi.stubEnv('NODE_ENV', 'production');
  await appOn();
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toContain('DistributedLockTestingModule is for tests');
});
