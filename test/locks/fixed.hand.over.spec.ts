import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { scaled } from '../support/slowness.js';
import { RedisFleet } from './lock.fleet.js';

/** In ms; a hundredth of it is what a waiter may be handed less. */
const LEASE = scaled(30_000);

describe('a fixed lease', () => {
  let fleet: Awaited<ReturnType<typeof RedisFleet.open>>;
  let lock: Lock;

  beforeEach(async () => {
    fleet = await RedisFleet.open();
    lock = fleet.one.getLock('x');
  });
  afterEach(() => fleet.close());

  test('is handed off inside the process while it is nearly whole: under the same holder id, as a hold of its own', async () => {
    const first = await lock.lock({ leaseTime: LEASE });
    const waiting = lock.lock({ leaseTime: LEASE });
    await first.unlock();
    const second = await waiting;
    expect([second.holder, second.isHeld, first.isHeld]).toEqual([first.holder, true, false]);
    const left = await lock.remainTimeToLive();
    expect(left).toBeLessThanOrEqual(LEASE);
    expect(left).toBeGreaterThan(LEASE * 0.9);
    expect(await second.unlock()).toBe('released');
    expect(await lock.isLocked()).toBe(false);
  });

  test('is granted anew by Redis when more of it is over', async () => {
    const first = await lock.lock({ leaseTime: scaled(2000) });
    const waiting = lock.lock({ leaseTime: scaled(2000) });
    await sleep(scaled(200));
    await first.unlock();
    const second = await waiting;
    expect(second.holder).not.toBe(first.holder);
    expect(await lock.remainTimeToLive()).toBeGreaterThan(scaled(1850));
    await second.unlock();
  });

  test('ends when Redis ends it, however often it was handed off', async () => {
    const leaseTime = scaled(1000);
    const handle = await lock.lock({ leaseTime });
    const waiting = Array.from({ length: 5 }, () => lock.lock({ leaseTime }));
    await handle.unlock();
    for (const next of waiting.slice(0, -1)) await (await next).unlock();
    const last = await waiting.at(-1);
    expect(last?.isHeld).toBe(true);
    const other = await fleet.other.getLock('x').lock({ waitTime: leaseTime * 2 });
    expect([last?.isHeld, await last?.unlock()]).toEqual([false, 'lost']);
    await other.unlock();
  });

  test('is never handed off to a waiter that requests another length', async () => {
    const first = await lock.lock({ leaseTime: LEASE });
    const waiting = lock.lock({ leaseTime: LEASE + 1 });
    await first.unlock();
    const second = await waiting;
    expect(second.holder).not.toBe(first.holder);
    await second.unlock();
  });
});
