import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { prefixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { cutAfter, cutBefore, swallowAfter } from '../support/faults/ambush.js';
import { FaultStage } from '../support/faults/fault.stage.js';

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
  await stage.close();
});

const name = 'x';
const lock = () => service.getLock(name);

describe('a connection cut after an acquisition ran', () => {
  test('leaves count 1, or no key', async () => {
    const cut = cutAfter(wire, 'acquire');
    const handle = await lock().lock();
    const { holder } = await cut;
    // The id of the lost acquisition is asked for again, and not another one.
    expect(handle.holder).toBe(holder);
    expect(await stage.counts(name)).toEqual({ [holder]: '1' });
    expect(await handle.unlock()).toBe('released');

    const lost = cutAfter(wire, 'acquire');
    await expect(lock().tryLock()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('the connection broke before the answer came'),
    });
    await lost;
    await stage.expectNothingLeft();
  });

  test('leaves no key of a caller that left meanwhile', async () => {
    const abort = new AbortController();
    const cut = cutAfter(wire, 'acquire');
    const waiting = lock().lock({ signal: abort.signal });
    await cut;
    abort.abort('left');
    await expect(waiting).rejects.toBe('left');
    await stage.expectNothingLeft();
  });

  test('does not delay a waiter of another service beyond the moment in which it is undone', async () => {
    const lost = cutAfter(wire, 'acquire');
    const refused = lock()
      .tryLock()
      .catch((error: unknown) => error);
    await lost;
    const next = await other.getLock(name).tryLock({ waitTime: scaled(2000) });
    expect(next?.isHeld).toBe(true);
    expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
    await next?.unlock();
    await stage.expectNothingLeft();
  });
});

describe('a connection cut during a re-entry', () => {
  test.each([
    ['cut after it ran', cutAfter],
    ['cut before it ran', cutBefore],
  ])('leaves the count right at the next unlock (%s)', async (_, ambush) => {
    const outer = await lock().lock();
    const cut = ambush(wire, 're-enter');
    const inner = await outer.run(() => lock().lock());
    await cut;
    expect(inner.holder).toBe(outer.holder);
    expect(await stage.counts(name)).toEqual({ [outer.holder]: '2' });
    expect(await inner.unlock()).toBe('kept');
    expect(await stage.counts(name)).toEqual({ [outer.holder]: '1' });
    expect(await outer.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('of a caller that gave up is taken back, and the outer hold goes on', async () => {
    const outer = await lock().lock();
    const abort = new AbortController();
    const cut = cutAfter(wire, 're-enter');
    const inner = outer.run(() => lock().lock({ signal: abort.signal }));
    await cut;
    abort.abort('left');
    await expect(inner).rejects.toBe('left');
    await until('the count is 1 again', async () => (await stage.counts(name))[outer.holder] === '1');
    expect(outer.isHeld).toBe(true);
    expect(await outer.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('never passes a count of 2 to the next hold of the service', async () => {
    const outer = await lock().lock();
    const abort = new AbortController();
    const cut = cutAfter(wire, 're-enter');
    const inner = outer.run(() => lock().lock({ signal: abort.signal }));
    const waiting = lock().lock();
    await cut;
    abort.abort('left');
    await expect(inner).rejects.toBe('left');
    const unlocked = outer.unlock();
    const next = await waiting;
    expect(await stage.counts(name)).toEqual({ [next.holder]: '1' });
    expect(await unlocked).toBe('released');
    expect(await next.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });
});

describe('a connection cut during an unlock', () => {
  test.each([
    ['cut after it ran', cutAfter],
    ['cut before it ran', cutBefore],
  ])('frees the lock once and answers released (%s)', async (_, ambush) => {
    const handle = await lock().lock();
    const cut = ambush(wire, 'release');
    const unlocked = handle.unlock();
    await cut;
    const next = await other.getLock(name).lock();
    expect(await unlocked).toBe('released');
    expect(await handle.unlock()).toBe('released');
    expect(next.isHeld).toBe(true);
    expect(await stage.counts(name)).toEqual({ [next.holder]: '1' });
    await next.unlock();
    await stage.expectNothingLeft();
  });

  test('of a re-entry brings the count down all the same', async () => {
    const outer = await lock().lock();
    const inner = await outer.run(() => lock().lock());
    const cut = cutBefore(wire, 'partial release');
    await expect(inner.unlock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await cut;
    await until('the count is 1', async () => (await stage.counts(name))[outer.holder] === '1');
    expect(await outer.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('of a re-entry never leaves a belief that is longer than the lease', async () => {
    const one = await stage.proxy();
    const held = await stage.open({ lockWatchdogTimeout: 900, commandTimeout: 200 }, one);
    const outer = await held.getLock(name).lock();
    const inner = await outer.run(() => held.getLock(name).lock({ leaseTime: '20s' }));
    const swallowed = swallowAfter(one, 'partial release');
    const unlocked = inner.unlock().catch((error: unknown) => error);
    await swallowed;
    // Redis has set the lease back to the watchdog's, and nothing renews it any more.
    const next = await other.getLock(name).lock();
    expect(outer.isHeld).toBe(false);
    expect(outer.signal.aborted).toBe(true);
    expect(await unlocked).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await outer.unlock()).toBe('lost');
    expect(await stage.counts(name)).toEqual({ [next.holder]: '1' });
    await next.unlock();
    one.restore();
    await stage.expectNothingLeft(15_000);
  });
});

describe('a connection cut during a hand-off', () => {
  test.each([
    ['cut after it ran', cutAfter],
    ['cut before it ran', cutBefore],
  ])('leaves no key of giver or taker (%s)', async (_, ambush) => {
    const giver = await lock().lock();
    const taker = lock().lock({ leaseTime: '20s' });
    const cut = ambush(wire, 'transfer');
    const unlocked = giver.unlock();
    await cut;
    const taken = await taker;
    expect(await unlocked).toBe('released');
    expect(await stage.counts(name)).toEqual({ [taken.holder]: '1' });
    expect(await taken.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('leaves no key of a new holder that left meanwhile', async () => {
    const abort = new AbortController();
    const giver = await lock().lock();
    const taker = lock().lock({ leaseTime: '20s', signal: abort.signal });
    const cut = cutAfter(wire, 'transfer');
    const unlocked = giver.unlock();
    await cut;
    abort.abort('left');
    await expect(taker).rejects.toBe('left');
    expect(await unlocked).toBe('released');
    await stage.expectNothingLeft();
  });
});

describe('a connection cut during a release that hands a fair lock to the next waiter of its process', () => {
  const fair = () => service.getFairLock(name);
  const queue = () => stage.admin.llen(prefixName('redisson_lock_queue', stage.key(name)));
  const stands = (count: number) => until('it stands in the queue', async () => (await queue()) === count);

  test.each([
    ['cut after it ran', cutAfter],
    ['cut before it ran', cutBefore],
  ])('lets that one in, and no other before it (%s)', async (_, ambush) => {
    const giver = await fair().lock();
    const waiting = fair().lock();
    await stands(1);
    const behind = other.getFairLock(name).lock();
    await stands(2);
    const cut = ambush(wire, 'release');
    const unlocked = giver.unlock();
    await cut;
    const taken = await waiting;
    expect(await stage.counts(name)).toEqual({ [taken.holder]: '1' });
    expect(['released', 'lost']).toContain(await unlocked);
    expect(await taken.unlock()).toBe('released');
    expect(await (await behind).unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('leaves no key of a waiter that left meanwhile', async () => {
    const abort = new AbortController();
    const giver = await fair().lock();
    const waiting = fair().lock({ signal: abort.signal });
    await stands(1);
    const cut = cutAfter(wire, 'release');
    const unlocked = giver.unlock();
    await cut;
    abort.abort('left');
    await expect(waiting).rejects.toBe('left');
    await unlocked;
    const next = await other.getFairLock(name).lock();
    expect(await next.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('a process that falls silent then has died as the holder: its lease runs out', async () => {
    // Longer than the 3 s of a gift that is told to a process: without that nothing is handed on.
    const T = 4000;
    const silent = await stage.open({ lockWatchdogTimeout: T }, wire);
    const giver = await silent.getFairLock(name).lock();
    const waiting = silent.getFairLock(name).lock({ waitTime: '30s' });
    const left = waiting.then(
      (handle) => handle.unlock(),
      () => undefined,
    );
    await stands(1);
    const behind = other.getFairLock(name).lock();
    await stands(2);
    const gone = swallowAfter(wire, 'release');
    const unlocked = giver.unlock().catch((error: unknown) => error);
    const { holder } = await gone;
    const since = performance.now();
    expect(holder).toBe(giver.holder);
    // It has the lock by then, and will never know.
    const holders = Object.keys(await stage.counts(name));
    expect(holders).toHaveLength(1);
    expect(holders).not.toContain(holder);
    const taken = await behind;
    expect(performance.now() - since).toBeLessThan(T + scaled(1000));
    expect(await taken.unlock()).toBe('released');
    wire.restore();
    await Promise.all([unlocked, left]);
    await stage.expectNothingLeft();
  });
});
