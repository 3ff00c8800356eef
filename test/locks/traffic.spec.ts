import type { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { StoreLog } from '../support/store.log.js';
import { until } from '../support/until.js';
import { RedisFleet } from './lock.fleet.js';
import { ownRedis } from './own.redis.js';

/** The watchdog's lease, in ms. */
const T = scaled(600);

/** Commands that clients sent about a lock, and that its scripts ran, as MONITOR shows them. */
class Traffic {
  readonly #log: StoreLog;

  constructor(admin: Redis, port: number, prefix: string) {
    this.#log = new StoreLog(admin, port, prefix);
  }

  async listen(): Promise<void> {
    await this.#log.start();
  }

  /** What was sent since the last call: calls of scripts by clients, or the commands inside of them. */
  async since(kind: 'calls' | 'inside'): Promise<string[]> {
    const commands = await this.#log.cut();
    return commands
      .filter(({ isInner }) => isInner === (kind === 'inside'))
      .map(({ words }) => words.join(' '));
  }

  close(): void {
    this.#log.close();
  }
}

describe('the traffic of a lock', () => {
  const server = ownRedis();
  let fleet: RedisFleet;
  let traffic: Traffic;
  const one = () => fleet.one.getLock('x');
  const other = () => fleet.other.getLock('x');
  beforeEach(async () => {
    fleet = await RedisFleet.open({ lockWatchdogTimeout: T, handOver: { time: '10s' } }, server().url);
    await Promise.all([one().using(() => undefined), fleet.other.getLock('y').using(() => undefined)]);
    traffic = new Traffic(fleet.services.admin, server().port, fleet.services.prefix);
    await traffic.listen();
  });
  afterEach(async () => {
    traffic.close();
    await fleet.close();
  });

  test('is one round trip to take a free lock, and one to free it', async () => {
    const handle = await one().lock();
    expect(await traffic.since('calls')).toHaveLength(1);
    await handle.unlock();
    expect(await traffic.since('calls')).toHaveLength(1);
    const again = await one().tryLock();
    await again?.unlock();
    expect(await traffic.since('calls')).toHaveLength(2);
  });

  test('is none to refuse a caller of the process that holds it', async () => {
    const handle = await one().lock();
    await traffic.since('calls');
    expect(await one().tryLock()).toBeNull();
    expect(await one().tryLock({ waitTime: 60 })).toBeNull();
    expect(await traffic.since('calls')).toEqual([]);
    await handle.unlock();
  });

  test('no renewal is sent after an unlock', async () => {
    let renewals = 0;
    for (let time = 0; time < 10; time += 1) {
      const handle = await one().lock();
      const renewed = performance.now() + T * (0.28 + 0.01 * time);
      await until('a renewal is due', () => performance.now() > renewed);
      await handle.unlock();
      const calls = (await traffic.since('inside')).join('\n');
      renewals += calls.match(/pexpire/gi)?.length ?? 0;
      expect(calls).toMatch(/^del /im);
      expect(calls.slice(calls.search(/^del /im))).not.toMatch(/pexpire/i);
    }
    // Ten of them are the acquisitions'.
    expect(renewals).toBeGreaterThan(12);
    const start = performance.now();
    await until('a whole lease is over', () => performance.now() > start + 1.1 * T);
    expect(await traffic.since('calls')).toEqual([]);
  });

  test('of 20 held locks is a few renewals that they share, at every third of the lease', async () => {
    const handles = await Promise.all(
      Array.from({ length: 20 }, (_, index) => fleet.one.getLock(`x${index}`).lock()),
    );
    await traffic.since('calls');
    const start = performance.now();
    await until('two leases are over', () => performance.now() > start + 2 * T);
    const calls = (await traffic.since('calls')).length;
    // 20 locks are due 6 to 7 times in this time; the jitter spreads them over a few slots.
    expect(calls).toBeGreaterThan(5);
    expect(calls).toBeLessThan(60);
    await Promise.all(handles.map((handle) => handle.unlock()));
  });

  test('is an attempt, a subscription and an attempt for a waiter, and nothing while it sleeps', async () => {
    const long = await fleet.open({ lockWatchdogTimeout: '30s' });
    const held = await long.getLock('x').lock();
    await traffic.since('calls');
    const waiting = [one().lock(), one().lock(), one().lock()];
    await until('they sleep', async () => (await fleet.sleepers('x')) === 1);
    await one().isLocked();
    const calls = await traffic.since('calls');
    expect(calls.filter((call) => /^evalsha/i.test(call))).toHaveLength(3);
    // Its own channel, and that of the lock, share a command.
    expect(calls.filter((call) => /^subscribe \S+ \S+$/i.test(call))).toHaveLength(1);
    await held.unlock();
    for (const handle of waiting) await (await handle).unlock();
  });

  test('is none to hand a lock to 50 waiters of the process, but for the first and the last', async () => {
    const first = await one().lock();
    const waiting = Array.from({ length: 50 }, async () => (await one().lock()).unlock());
    await traffic.since('calls');
    await first.unlock();
    await Promise.all(waiting);
    expect(await traffic.since('calls')).toHaveLength(1);
  });

  test('is one call for ten locks that are requested in one turn of the event loop', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `x${index}`);
    const handles = await Promise.all(names.map((name) => fleet.one.getLock(name).lock()));
    expect(await traffic.since('calls')).toHaveLength(1);
    await Promise.all(handles.map((handle) => handle.unlock()));
    expect(await traffic.since('calls')).toHaveLength(1);
  });

  test('wakes one waiter of each process at a release, not a herd', async () => {
    const held = await other().lock();
    const waiting = Array.from({ length: 20 }, () => one().lock());
    await until('they sleep', async () => (await fleet.sleepers('x')) === 1);
    await one().isLocked();
    await traffic.since('calls');
    await held.unlock();
    const granted = await waiting[0];
    const calls = await traffic.since('calls');
    expect(calls.filter((call) => /^evalsha/i.test(call)).length).toBeLessThanOrEqual(3);
    await granted?.unlock();
    for (const handle of waiting.slice(1)) await (await handle).unlock();
  });
});
