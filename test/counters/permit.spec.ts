import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { PermitExpirableSemaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import {
  permitAcquire,
  permitRelease,
} from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { semaphoreChannel, suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { CounterFleet, cutAfter, cutBefore } from './counter.fleet.js';

const name = 'p';
const WATCHDOG = 600;
let fleet: CounterFleet;
let ours: PermitExpirableSemaphore;
let theirs: PermitExpirableSemaphore;
beforeEach(async () => {
  fleet = new CounterFleet();
  const services = await Promise.all([fleet.open({ lockWatchdogTimeout: WATCHDOG }), fleet.open()]);
  [ours, theirs] = [
    services[0].getPermitExpirableSemaphore(name),
    services[1].getPermitExpirableSemaphore(name),
  ];
});
afterEach(() => fleet.close());

const ids = async () =>
  (await fleet.redis.zrangeBuffer(suffixName(fleet.key(name), 'timeout'), 0, '-1')).map((id) =>
    id.toString('hex'),
  );

describe('permits that expire', () => {
  test('are held by handles, whose holders are the ids that are in Redis', async () => {
    expect(await ours.trySetPermits(2)).toBe(true);
    expect(await theirs.trySetPermits(5)).toBe(false);
    const [one, two] = [await ours.acquire(), await theirs.acquire()];
    expect(one.holder).toMatch(/^[0-9a-f]{32}$/);
    expect((await ids()).toSorted()).toEqual([one.holder, two.holder].toSorted());
    expect(await ours.tryAcquire()).toBeNull();
    await expect(ours.acquire({ waitTime: 30 })).rejects.toMatchObject({ code: 'NOT_ACQUIRED', lock: name });
    expect([await ours.availablePermits(), await ours.acquiredPermits(), await ours.getPermits()]).toEqual([
      0, 2, 2,
    ]);
    expect(await one.unlock()).toBe('released');
    expect(await one.unlock()).toBe('released');
    expect(await two.unlock()).toBe('released');
    expect([await ours.availablePermits(), await ours.acquiredPermits()]).toEqual([2, 0]);
    await fleet.expectNothingLeft(name);
  });

  test('are not lost by a release that comes together with a renewal', async () => {
    const lockWatchdogTimeout = scaled(WATCHDOG);
    const permits = (await fleet.open({ lockWatchdogTimeout })).getPermitExpirableSemaphore(name);
    await permits.trySetPermits(10);
    const ends = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const handle = await permits.acquire();
        // About the time of a renewal, before it and after it.
        await sleep((lockWatchdogTimeout / 3) * (0.85 + (index % 10) * 0.03));
        return [handle.signal.aborted, await handle.unlock()];
      }),
    );
    expect(ends).toEqual(ends.map(() => [false, 'released']));
    expect(await permits.availablePermits()).toBe(10);
    await fleet.expectNothingLeft(name);
  });

  test('are renewed by the watchdog, as long as their holder lives', async () => {
    await ours.trySetPermits(1);
    const handle = await ours.acquire();
    const since = performance.now();
    while (performance.now() - since < WATCHDOG * 2)
      expect(await theirs.tryAcquire({ waitTime: 50 })).toBeNull();
    expect(handle.isHeld).toBe(true);
    expect(await theirs.getLeaseTime(handle.holder)).toBeGreaterThan(0);
    expect(await handle.unlock()).toBe('released');
  });

  test('with a lease of their own expire, wake waiters, and notify their holder before', async () => {
    await ours.trySetPermits(1);
    const handle = await ours.acquire({ leaseTime: 300 });
    const lost = new Promise((resolve) =>
      handle.signal.addEventListener('abort', () => resolve(performance.now())),
    );
    const next = await theirs.acquire();
    expect(await lost).toBeLessThanOrEqual(performance.now());
    expect(handle.isHeld).toBe(false);
    expect(await handle.unlock()).toBe('lost');
    expect(await theirs.getPermits()).toBe(1);
    await next.unlock();
    expect(await theirs.availablePermits()).toBe(1);
    await fleet.expectNothingLeft(name);
  });

  test('of one scope are as many as it requests', async () => {
    await ours.trySetPermits(2);
    await ours.using(async (outer) => {
      await ours.using(async (inner) => {
        expect(inner.holder).not.toBe(outer.holder);
        expect(await theirs.availablePermits()).toBe(0);
        expect(await ours.tryAcquire()).toBeNull();
      });
      expect(await theirs.availablePermits()).toBe(1);
    });
    expect(await theirs.availablePermits()).toBe(2);
    await fleet.expectNothingLeft(name);
  });

  test('can be set and added, taken ones included', async () => {
    await ours.setPermits(1);
    const handle = await ours.acquire();
    await theirs.setPermits(4);
    expect([await ours.availablePermits(), await ours.getPermits()]).toEqual([3, 4]);
    await theirs.addPermits(-5);
    expect([await ours.availablePermits(), await ours.getPermits()]).toEqual([-2, -1]);
    await theirs.addPermits(3);
    await handle.unlock();
    expect([await ours.availablePermits(), await ours.getPermits()]).toEqual([2, 2]);
    expect(await ours.delete()).toBe(true);
    expect(await ours.delete()).toBe(false);
    await fleet.expectNothingLeft();
  });

  test('are lost by their holders when their semaphore is deleted', async () => {
    await ours.trySetPermits(1);
    const handle = await ours.acquire();
    expect(await ours.delete()).toBe(true);
    expect(handle.signal.aborted).toBe(true);
    expect(await handle.unlock()).toBe('lost');
    await fleet.expectNothingLeft();
  });

  test('that are added are published as Redisson does it: by their number', async () => {
    await ours.trySetPermits(0);
    const subscriber = fleet.redis.duplicate();
    const heard: string[] = [];
    subscriber.on('message', (_channel, payload: string) => heard.push(payload));
    await subscriber.subscribe(semaphoreChannel(fleet.key(name)));
    await ours.addPermits(5);
    await ours.addPermits(2);
    await until('both were told', () => heard.length === 2);
    expect(heard).toEqual(['5', '2']);
    subscriber.disconnect();
  });
});

describe('a permit that is named by its id', () => {
  let handle: LockHandle;
  beforeEach(async () => {
    await ours.trySetPermits(1);
    handle = await ours.acquire();
  });

  test('is given back by another process', async () => {
    expect(await theirs.tryRelease(handle.holder)).toBe(true);
    expect(await theirs.tryRelease(handle.holder)).toBe(false);
    expect(await theirs.availablePermits()).toBe(1);
    await until('its holder is told by the next renewal', () => !handle.isHeld);
    expect(await handle.unlock()).toBe('lost');
    await fleet.expectNothingLeft(name);
  });

  test('is given back by its own process, which notifies its holder at once', async () => {
    expect(await ours.tryRelease(handle.holder)).toBe(true);
    expect(handle.signal.aborted).toBe(true);
    await fleet.expectNothingLeft(name);
  });

  test('is given another lease', async () => {
    expect(await theirs.updateLeaseTime(handle.holder, '1m')).toBe(true);
    expect(await theirs.getLeaseTime(handle.holder)).toBeGreaterThan(50_000);
    expect(await ours.updateLeaseTime(handle.holder, WATCHDOG)).toBe(true);
    expect(await theirs.getLeaseTime(handle.holder)).toBeLessThanOrEqual(WATCHDOG);
    await handle.unlock();
    expect(await theirs.getLeaseTime(handle.holder)).toBe(-2);
    expect(await theirs.updateLeaseTime(handle.holder, 1000)).toBe(false);
  });

  test('is given a shorter lease, on which its holder relies no longer than it lasts', async () => {
    await handle.unlock();
    const fixed = await ours.acquire({ leaseTime: '1m' });
    expect(await ours.updateLeaseTime(fixed.holder, 100)).toBe(true);
    const next = await theirs.acquire({ waitTime: scaled(2000) });
    expect(fixed.isHeld).toBe(false);
    expect(fixed.signal.aborted).toBe(true);
    await next.unlock();
    await fleet.expectNothingLeft(name);
  });

  test('is given back where Redisson took it for ever', async () => {
    await handle.unlock();
    const id = '00ff80c3e28280fe0a0d25005c7f81ff';
    await fleet.redis.zadd(suffixName(fleet.key(name), 'timeout'), '922337203685477', Buffer.from(id, 'hex'));
    await fleet.redis.set(fleet.key(name), '0');
    expect(await ours.getLeaseTime(id)).toBe(-1);
    const waiting = ours.acquire();
    await fleet.asleep(1, name);
    expect(await theirs.tryRelease(id)).toBe(true);
    await (await waiting).unlock();
    await fleet.expectNothingLeft(name);
  });

  test.each(['', 'x', 'A'.repeat(32), 7])('is refused where the id is none: %s', async (id) => {
    const refused = { code: 'INVALID_OPTION', lock: name };
    await expect(ours.tryRelease(id as never)).rejects.toMatchObject(refused);
    await expect(ours.updateLeaseTime(id as never, 1000)).rejects.toMatchObject(refused);
    await expect(ours.getLeaseTime(id as never)).rejects.toMatchObject(refused);
    await handle.unlock();
  });
});

describe('waiters', () => {
  test('of one process are granted together, as far as permits are left, in their order', async () => {
    const wire = await fleet.proxy();
    const crowd = (await fleet.open({}, wire)).getPermitExpirableSemaphore(name);
    await ours.setPermits(0);
    const order: number[] = [];
    const waiting = Array.from({ length: 50 }, async (_, index) => {
      const handle = await crowd.acquire();
      order.push(index);
      return handle;
    });
    const places = () => fleet.redis.zcount(suffixName(fleet.key(name), 'waiting'), 1, '+inf');
    await until('the contender sleeps', async () => (await places()) === 1);
    await ours.setPermits(30);
    await until('30 are in', () => order.length === 30);
    expect(order).toEqual(Array.from({ length: 30 }, (_, index) => index));
    await ours.setPermits(50);
    const handles = await Promise.all(waiting);
    expect(order).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(await ours.availablePermits()).toBe(0);
    await Promise.all(handles.map((handle) => handle.unlock()));
    expect(await ours.availablePermits()).toBe(50);
    await fleet.expectNothingLeft(name);
  });

  test('get no busy error when Redis is away', async () => {
    const wire = await fleet.proxy();
    const cut = (await fleet.open({}, wire)).getPermitExpirableSemaphore(name);
    await ours.trySetPermits(1);
    const handle = await cut.acquire();
    wire.blackHole();
    await expect(cut.tryAcquire({ waitTime: 100 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    wire.restore();
    await handle.unlock();
    await fleet.expectNothingLeft(name);
  });
});

describe('a connection that dies', () => {
  test.each([
    ['before', cutBefore],
    ['after', cutAfter],
  ])('%s an acquisition ran takes one permit', async (_when, ambush) => {
    const wire = await fleet.proxy();
    const cut = (await fleet.open({}, wire)).getPermitExpirableSemaphore(name);
    await ours.trySetPermits(2);
    const died = ambush(wire, permitAcquire);
    const handle = await cut.acquire();
    await died;
    expect(await ids()).toEqual([handle.holder]);
    expect(await ours.availablePermits()).toBe(1);
    const again = ambush(wire, permitRelease);
    expect(await handle.unlock()).toBe('released');
    await again;
    expect(await ours.availablePermits()).toBe(2);
    await fleet.expectNothingLeft(name);
  });

  test('after an acquisition ran that is not repeated gives the permit back', async () => {
    const wire = await fleet.proxy();
    const cut = (await fleet.open({}, wire)).getPermitExpirableSemaphore(name);
    await ours.trySetPermits(1);
    const died = cutAfter(wire, permitAcquire);
    await expect(cut.tryAcquire()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await died;
    await until('it is back', async () => (await ours.availablePermits()) === 1, scaled(2000));
    await fleet.expectNothingLeft(name);
  });

  test.each([
    ['tryRelease', (semaphore: PermitExpirableSemaphore, id: string) => semaphore.tryRelease(id)],
    ['delete', (semaphore: PermitExpirableSemaphore) => semaphore.delete()],
  ])('after %s() ran ends the belief in what it gave back', async (_, call) => {
    const wire = await fleet.proxy();
    const service = await fleet.open({ commandTimeout: scaled(1000), lockWatchdogTimeout: 3000 }, wire);
    const cut = service.getPermitExpirableSemaphore(name);
    await ours.trySetPermits(1);
    const handle = await cut.acquire();
    const { signal } = handle;
    let isSent = false;
    wire.judge(({ words }) => {
      if (isSent || !words.some((word) => word.includes(fleet.key(name)))) return 'pass';
      return {
        answered: (reply) => {
          // Of a script that the server does not know yet.
          if (isSent || String(reply).startsWith('NOSCRIPT')) return 'pass';
          isSent = true;
          return 'cut';
        },
      };
    });
    await call(cut, handle.holder).catch(() => undefined);
    expect(isSent).toBe(true);
    await until('it is told', () => signal.aborted, scaled(4000));
    expect(await handle.unlock()).toBe('lost');
    await fleet.expectNothingLeft(name);
  });
});
