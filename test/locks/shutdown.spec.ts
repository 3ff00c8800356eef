import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { Gate } from './gate.js';
import { ownRedis } from './own.redis.js';

const SHUTTING_DOWN = { name: 'LockUnavailableError', code: 'SHUTTING_DOWN' };

describe('a service that shuts down', () => {
  let services: Services;
  let one: LockService;
  let other: LockService;
  beforeEach(async () => {
    services = new Services();
    [one, other] = await Promise.all([services.open({ shutdownTimeout: '5s' }), services.open()]);
  });
  afterEach(() => services.close());

  const timers = () => one.engine.context.wheel.size;

  test('grants no lock any more, and refuses its waiters', async () => {
    const held = await other.getLock('x').lock();
    const waiting = one.getLock('x').lock();
    waiting.catch(() => undefined);
    const end = one.shutDown();
    await expect(waiting).rejects.toMatchObject({ ...SHUTTING_DOWN, lock: 'x' });
    await expect(one.getLock('y').lock()).rejects.toMatchObject(SHUTTING_DOWN);
    await expect(one.getLock('y').tryLock()).rejects.toMatchObject(SHUTTING_DOWN);
    await end;
    await expect(one.getLock('y').tryLock()).rejects.toMatchObject(SHUTTING_DOWN);
    await held.unlock();
    expect(await services.keys()).toEqual([]);
  });

  test('leaves no key of a question that was under way', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `x${index}`);
    for (const ask of ['lock', 'tryLock'] as const) {
      const service = await services.open();
      // A server that does not know the script yet would ask for it first.
      await service.getLock('x').using(() => undefined);
      const asked = names.map(async (name) => (await service.getLock(name)[ask]())?.unlock());
      const ends = Promise.allSettled(asked);
      // After this the questions are sent, and no answer is there.
      await new Promise(process.nextTick);
      await service.shutDown();
      await ends;
      expect(await services.keys()).toEqual([]);
      expect(await services.channels()).toEqual([]);
      expect(service.engine.context.wheel.size).toBe(0);
    }
  });

  test('waits for the running work, which may still take locks and unlock', async () => {
    const [inside, go] = [new Gate(), new Gate()];
    const work = one.getLock('x').using(async ({ signal }) => {
      inside.open();
      await go.opened;
      await one.getLock('x').using(() => undefined);
      await one.getLock('y').using(() => undefined);
      return signal.aborted;
    });
    await inside.opened;
    let over = false;
    const end = one.shutDown().then(() => (over = true));
    expect(await other.getLock('x').tryLock({ waitTime: 100 })).toBeNull();
    expect(over).toBe(false);
    go.open();
    expect(await work).toBe(false);
    const ended = performance.now();
    await end;
    expect(performance.now() - ended).toBeLessThan(scaled(500));
    await until('nothing is left', async () => (await services.keys()).length === 0);
    expect(timers()).toBe(0);
  });

  test('aborts work that goes on too long by its signal, and lets it unlock', async () => {
    const inside = new Gate();
    const work = other.getLock('x').using(async ({ signal, unlock }) => {
      inside.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      expect(unlock).toBeTypeOf('function');
      return signal.reason;
    });
    await inside.opened;
    const start = performance.now();
    await other.shutDown();
    expect(performance.now() - start).toBeGreaterThan(199);
    expect(performance.now() - start).toBeLessThan(200 + scaled(300));
    expect(await work).toBeInstanceOf(LockLostError);
    expect(await services.keys()).toEqual([]);
  });

  test('frees locks that are not unlocked, and their holders learn that they are lost', async () => {
    const held = await other.getLock('x').lock();
    const waiting = one.getLock('x').lock();
    const { signal } = held;
    await until('it waits', async () => (await services.channels()).length > 0);
    await other.shutDown();
    expect(signal.aborted).toBe(true);
    expect(held.isHeld).toBe(false);
    const next = await waiting;
    expect(await held.unlock()).toBe('lost');
    expect(await next.unlock()).toBe('released');
  });

  test('leaves no timer, no socket, no subscription and no key behind', async () => {
    const open = () => process.getActiveResourcesInfo().filter((kind) => /^(?:TCP|Timeout)/.test(kind));
    await services.admin.ping();
    const before = open();
    const busy = await Promise.all([services.open(), services.open({ lockWatchdogTimeout: 600 })]);
    const locks = busy.flatMap((service) => ['x', 'y'].map((name) => service.getLock(name)));
    await Promise.all(locks.map((lock) => lock.using(() => lock.remainTimeToLive(), { leaseTime: '5s' })));
    await Promise.all(locks.map((lock) => lock.using(() => undefined, { waitTime: '5s' })));
    await Promise.all(busy.map((service) => service.shutDown()));
    // What was there before may have ended meanwhile.
    const opened = () => {
      const left = open();
      for (const kind of before) if (left.includes(kind)) left.splice(left.indexOf(kind), 1);
      return left;
    };
    await until('what was opened is closed', () => opened().length === 0);
    expect(busy.map(({ engine }) => engine.context.wheel.size)).toEqual([0, 0]);
    expect([await services.keys(), await services.channels()]).toEqual([[], []]);
  });

  test('shuts down once, however often it is called', async () => {
    const held = await one.getLock('x').lock();
    const ends = [one.shutDown(), one.shutDown()];
    await held.unlock();
    await Promise.all(ends);
    await one.shutDown();
    expect(timers()).toBe(0);
  });
});

describe('a service that shuts down when its Redis is gone', () => {
  const server = ownRedis();

  test('comes to an end, and leaves neither timer nor socket', async () => {
    const open = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;
    const before = open();
    const services = new Services(server().url);
    const service = await services.open({ shutdownTimeout: 300, commandTimeout: 200 });
    const held = await service.getLock('x').lock();
    const stray = service.getLock('y').lock();
    await stray;
    services.admin.on('error', () => undefined);
    await server().kill();
    const unlocked = held.unlock().catch((error: unknown) => error);
    const waiting = service.getLock('z').lock();
    waiting.catch(() => undefined);
    const start = performance.now();
    await services.close();
    expect(performance.now() - start).toBeLessThan(300 + 1000 + 200 + scaled(500));
    expect(await unlocked).toMatchObject({ code: 'UNAVAILABLE', lock: 'x' });
    await expect(waiting).rejects.toMatchObject(SHUTTING_DOWN);
    await until('no timer is left', () => service.engine.context.wheel.size === 0, 2000);
    await until('no socket is left', () => open() <= before);
  });
});
