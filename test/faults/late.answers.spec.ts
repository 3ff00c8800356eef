import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { holdReply, holdSubscription } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';

const name = 'x';

let stage: FaultStage;
let wire: TcpProxy;
let service: LockService;
let other: LockService;

beforeEach(async () => {
  stage = FaultStage.shared();
  wire = await stage.proxy();
  [service, other] = await Promise.all([stage.open({}, wire), stage.open()]);
});
afterEach(async () => {
  try {
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
});

/** Waits until `ms` have passed since `start`. */
const passed = (start: number, ms: number) =>
  until(`${ms} ms are over`, () => performance.now() - start >= ms, ms + 5000);

describe('a release between the first attempt and the subscription', () => {
  test.each<[string, (locks: LockService) => Lock]>([
    ['plain', (locks) => locks.getLock(name)],
    ['fair', (locks) => locks.getFairLock(name)],
    ['read', (locks) => locks.getReadWriteLock(name).readLock()],
    ['write', (locks) => locks.getReadWriteLock(name).writeLock()],
  ])('wakes the waiter of a %s lock at once', async (kind, lockOf) => {
    const holder = kind === 'read' ? other.getReadWriteLock(name).writeLock() : lockOf(other);
    const held = await holder.lock();
    const subscription = holdSubscription(wire);
    const waiting = lockOf(service).lock();
    await subscription.caught;
    // The release will reach no client: the waiter has found the lock held, and is not subscribed yet.
    expect(await stage.services.channels()).toEqual([]);
    expect(await held.unlock()).toBe('released');
    const start = performance.now();
    subscription.letGo();
    const handle = await waiting;
    // What would wake it otherwise, by polling while it is not subscribed, comes after a second.
    expect(performance.now() - start).toBeLessThan(scaled(300));
    expect(await handle.unlock()).toBe('released');
  });
});

describe('a slow reply', () => {
  test('does not lengthen the belief in a lease, which counts from the sending', async () => {
    const reply = holdReply(wire, 'acquire');
    const waiting = service.getLock(name).lock({ leaseTime: 2000 });
    await reply.caught;
    const start = performance.now();
    await passed(start, 800);
    reply.letGo();
    const handle = await waiting;
    // From now on no check of the lease gets through: it would find the true end, whatever the lease is counted from.
    wire.judge(() => ({ before: new Promise(() => undefined) }));
    let aborted = Infinity;
    handle.signal.addEventListener('abort', () => (aborted = performance.now()));
    const next = await other.getLock(name).lock();
    const granted = performance.now();
    expect(handle.isHeld).toBe(false);
    expect(aborted).toBeLessThan(granted);
    expect(granted - start).toBeGreaterThan(1900);
    expect(await handle.unlock()).toBe('lost');
    expect(await stage.counts(name)).toEqual({ [next.holder]: '1' });
    await next.unlock();
    wire.judge(() => 'pass');
    wire.cut();
  });

  test('does not lengthen the belief in a renewed lease, which counts from the sending of its renewal', async () => {
    const T = 1500;
    const slow = await stage.open({ lockWatchdogTimeout: T, commandTimeout: 5000 }, wire);
    const handle = await slow.getLock(name).lock();
    const reply = holdReply(wire, 'renew');
    await reply.caught;
    const start = performance.now();
    await passed(start, T * 0.4);
    reply.letGo();
    // From now on no renewal gets through: what was confirmed late must not be believed in for a whole lease from now.
    wire.judge(() => ({ before: new Promise(() => undefined) }));
    const next = await other.getLock(name).lock();
    expect(handle.isHeld).toBe(false);
    expect(performance.now() - start).toBeLessThan(T + scaled(150));
    expect(await handle.unlock()).toBe('lost');
    await next.unlock();
    wire.judge(() => 'pass');
    wire.cut();
  });

  test.each([
    ['a grant', undefined],
    ['a grant with a fixed lease', 1600],
  ])('%s whose reply took half its lease is renewed before it is delivered', async (_, leaseTime) => {
    const slow = await stage.open({ lockWatchdogTimeout: 1600, commandTimeout: 5000 }, wire);
    const reply = holdReply(wire, 'acquire');
    const waiting = slow.getLock(name).lock({ leaseTime });
    await reply.caught;
    const start = performance.now();
    await passed(start, 900);
    expect(await stage.admin.pttl(stage.key(name))).toBeLessThan(800);
    reply.letGo();
    const handle = await waiting;
    expect(await stage.admin.pttl(stage.key(name))).toBeGreaterThan(1600 - scaled(200));
    // Believed in for the whole of the second lease, and not only for the rest of the first.
    await passed(start, 1700);
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
  });
});

describe('a grant that arrives after its waiter left', () => {
  test('goes to the next one, or leaves no key', async () => {
    const abort = new AbortController();
    const reply = holdReply(wire, 'acquire');
    const leaving = service.getLock(name).lock({ signal: abort.signal });
    const staying = service.getLock(name).lock();
    await reply.caught;
    abort.abort('left');
    await expect(leaving).rejects.toBe('left');
    reply.letGo();
    const handle = await staying;
    expect(await stage.counts(name)).toEqual({ [handle.holder]: '1' });
    expect(await handle.unlock()).toBe('released');

    const last = holdReply(wire, 'acquire');
    const alone = service.getLock(name).tryLock({ waitTime: 60 });
    await last.caught;
    await expect(alone).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    last.letGo();
    await until('the lock is free', async () => (await stage.admin.exists(stage.key(name))) === 0);
  });

  test('with another lease than the next one wants is exchanged', async () => {
    const abort = new AbortController();
    const reply = holdReply(wire, 'acquire');
    const leaving = service.getLock(name).lock({ signal: abort.signal });
    const staying = service.getLock(name).lock({ leaseTime: '5s' });
    await reply.caught;
    abort.abort('left');
    await expect(leaving).rejects.toBe('left');
    reply.letGo();
    const handle = await staying;
    expect(await stage.counts(name)).toEqual({ [handle.holder]: '1' });
    expect(await stage.admin.pttl(stage.key(name))).toBeLessThanOrEqual(5000);
    expect(await handle.unlock()).toBe('released');
  });

  test('to a caller that does not wait is given back when its signal was aborted meanwhile', async () => {
    const abort = new AbortController();
    const reply = holdReply(wire, 'acquire');
    const asking = service.getLock(name).tryLock({ signal: abort.signal });
    await reply.caught;
    abort.abort('left');
    await expect(asking).rejects.toBe('left');
    expect(await stage.admin.exists(stage.key(name))).toBe(1);
    reply.letGo();
  });
});
