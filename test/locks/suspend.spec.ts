import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CommandConnection } from '../../libs/distributed-lock/src/connections/command.connection.js';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { instant, Lease } from '../../libs/distributed-lock/src/renewal/lease.js';
import { fairAcquire } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { RedisFleet } from './lock.fleet.js';

/** While a machine is suspended its monotonic clock stands still: afterwards the wall clock is ahead, and Redis went on counting. */
describe('after a suspended machine', () => {
  let fleet: RedisFleet;
  const one = () => fleet.one.getLock('x');
  const other = () => fleet.other.getLock('x');
  beforeEach(async () => {
    fleet = await RedisFleet.open({ lockWatchdogTimeout: '5s' });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fleet.close();
  });

  /** Suspends this machine for `time` ms, at whose end `left` ms of the lock's lease are left in Redis. */
  async function suspend(time: number, left: number): Promise<void> {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + time);
    await fleet.services.admin.pexpire(fleet.key('x'), left);
  }

  test('a hold is not relied on until Redis has confirmed it', async () => {
    const held = await one().lock();
    const { signal } = held;
    await suspend(3000, 1000);
    expect(held.isHeld).toBe(false);
    expect(() => held.assertHeld()).toThrow(LockLostError);
    await until('Redis has confirmed it', () => held.isHeld);
    expect(signal.aborted).toBe(false);
    expect(await other().remainTimeToLive()).toBeGreaterThan(3000);
    expect(await held.unlock()).toBe('released');
  });

  test('a hold is extended, as it may be held yet', async () => {
    const held = await one().lock();
    await suspend(3000, 1000);
    expect(await held.extend('10s')).toBe(true);
    expect(await other().remainTimeToLive()).toBeGreaterThan(9000);
    expect(await held.unlock()).toBe('released');
  });

  test('a multi lock is extended, as it may be held yet', async () => {
    const held = await fleet.one.getMultiLock('x', 'y').lock();
    await suspend(3000, 1000);
    expect(await held.extend('10s')).toBe(true);
    expect(await other().remainTimeToLive()).toBeGreaterThan(9000);
    expect(await held.unlock()).toBe('released');
  });

  test('a hold whose lease ended meanwhile is lost: isHeld is false at its first read, and its signal aborts soon', async () => {
    const held = await one().lock();
    const { signal } = held;
    await suspend(60_000, 1);
    await until('the lease is over', async () => !(await other().isLocked()));
    const next = await other().lock();
    expect(held.isHeld).toBe(false);
    await until('the signal is aborted', () => signal.aborted);
    expect(await held.unlock()).toBe('lost');
    expect(await next.unlock()).toBe('released');
  });

  test.each(['30s', '10m'] as const)(
    'a hold that is lost aborts its signal within a second or two, although nothing reads isHeld: leaseTime %s',
    async (leaseTime) => {
      const held = await one().lock({ leaseTime });
      const { signal } = held;
      await suspend(60_000, 1);
      const resumed = performance.now();
      const next = await other().lock({ waitTime: '10s' });
      await until('the signal is aborted', () => signal.aborted, 4000);
      // A check of the lease comes after a third of it.
      expect(performance.now() - resumed).toBeLessThan(scaled(2000));
      expect(await held.unlock()).toBe('lost');
      expect(await next.unlock()).toBe('released');
    },
  );

  test('a fixed lease aborts its signal before the end that Redis has for it', async () => {
    const held = await one().lock({ leaseTime: '5s' });
    let aborted = Infinity;
    held.signal.addEventListener('abort', () => (aborted = performance.now()));
    await suspend(4000, 700);
    expect(held.isHeld).toBe(false);
    await until('Redis has confirmed it', () => held.isHeld);
    const start = performance.now();
    const next = await other().lock();
    expect(performance.now()).toBeGreaterThan(aborted);
    expect(aborted - start).toBeLessThan(700 + scaled(50));
    expect(held.isHeld).toBe(false);
    expect(await held.unlock()).toBe('lost');
    await next.unlock();
  });

  test('a fair lock that a release has handed off is requested once more, when the suspension fell between the release and its answer', async () => {
    const fair = () => fleet.one.getFairLock('f');
    const held = await fair().lock();
    const sent = vi.spyOn(CommandConnection.prototype, 'run');
    const waiting = fair().lock();
    // It asks once more when it has subscribed. An answer after the suspension would be a grant of its own, and no handoff.
    const requests = () =>
      sent.mock.calls.filter(([, [script]]) => script === fairAcquire.sha1 || script === fairAcquire.text);
    await until('it asked twice', () => requests().length > 1);
    await fair().isLocked();
    const unlocked = held.unlock();
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
    const before = sent.mock.calls.length;
    const next = await waiting;
    expect(sent.mock.calls.length).toBeGreaterThan(before);
    expect(next.isHeld).toBe(true);
    expect(await unlocked).toBe('released');
    expect(await next.unlock()).toBe('released');
  });

  test('a hold is not handed off without a request to Redis', async () => {
    const held = await one().lock();
    const waiting = one().lock();
    await suspend(60_000, 1);
    await until('the lease is over', async () => !(await other().isLocked()));
    const foreign = await other().lock();
    expect(await held.unlock()).toBe('lost');
    await until('the waiter sleeps', async () => (await fleet.sleepers('x')) === 1);
    expect(foreign.isHeld).toBe(true);
    await foreign.unlock();
    const next = await waiting;
    expect(next.isHeld).toBe(true);
    await next.unlock();
  });

  test('a scope may re-enter a doubtful hold, and Redis decides whether it is still held', async () => {
    await one().using(async (outer) => {
      await suspend(60_000, 1);
      await until('the lease is over', async () => !(await other().isLocked()));
      const next = await other().lock();
      expect(await one().tryLock()).toBeNull();
      expect(outer.isHeld).toBe(false);
      await next.unlock();
    });
  });
});

test('a hold ends for this process as soon as Redis gives its lock to another holder of it', async () => {
  const fleet = await RedisFleet.open();
  const { engine } = fleet.one;
  const target = engine.names.target(engine.context.kinds.reentrant, 'x');
  const line = engine.localLock(target);
  const lease = () => new Lease(target, engine.context.ids.next(), 30_000, instant());
  const former = line.addHold(lease()).admit(undefined, performance.now());
  const { signal } = former;
  const next = line.addHold(lease()).admit(undefined, performance.now());
  expect(signal.reason).toMatchObject({ code: 'LOST', lock: 'x' });
  expect([former.isHeld, next.isHeld]).toEqual([false, true]);
  expect(await former.unlock()).toBe('lost');
  expect(await next.unlock()).toBe('lost');
  await fleet.close();
});
