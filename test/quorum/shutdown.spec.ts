import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { Gate } from '../locks/gate.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { QuorumStage } from './quorum.stage.js';

const SHUTTING_DOWN = { name: 'LockUnavailableError', code: 'SHUTTING_DOWN' };

let stage: QuorumStage;
beforeAll(async () => {
  stage = await QuorumStage.open();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('a service with red locks that shuts down', () => {
  test('refuses waiters and new callers, and leaves neither key, nor listener, nor timer', async () => {
    const [service, other] = [await stage.openAll(), await stage.openAll()];
    const held = await other.getRedLock('x').lock();
    const waiting = [service.getRedLock('x').lock(), service.getRedLock('x').tryLock({ waitTime: '9s' })];
    const ends = Promise.allSettled(waiting);
    await stage.untilAsleep('x');
    await service.shutDown();
    for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: SHUTTING_DOWN });
    await expect(service.getRedLock('y').lock()).rejects.toMatchObject({ ...SHUTTING_DOWN, lock: 'y' });
    await expect(service.getRedLock('y').tryLock()).rejects.toMatchObject(SHUTTING_DOWN);
    expect(service.engine.context.wheel.size).toBe(0);
    expect(await held.unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('waits for running work, which may take its lock again, and others', async () => {
    const service = await stage.openAll({ shutdownTimeout: '5s' });
    const [inside, go] = [new Gate(), new Gate()];
    const work = service.getRedLock('x').using(async ({ signal }) => {
      inside.open();
      await go.opened;
      await service.getRedLock('x').using(() => undefined);
      await service.getRedLock('y').using(() => undefined);
      const once = await service.getRedLock('z').tryLock();
      return [signal.aborted, await once?.unlock()];
    });
    await inside.opened;
    let over = false;
    const end = service.shutDown().then(() => (over = true));
    await expect(service.getRedLock('y').tryLock()).rejects.toMatchObject(SHUTTING_DOWN);
    expect(over).toBe(false);
    go.open();
    expect(await work).toEqual([false, 'released']);
    const ended = performance.now();
    await end;
    expect(performance.now() - ended).toBeLessThan(scaled(700));
    expect(service.engine.context.wheel.size).toBe(0);
    await stage.expectNothingLeft();
  });

  test('aborts work that goes on too long by its signal, with the reason', async () => {
    const service = await stage.openAll();
    const inside = new Gate();
    const work = service.getRedLock('x').using(async ({ signal }) => {
      inside.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return signal.reason;
    });
    await inside.opened;
    await service.shutDown();
    const reason = await work;
    expect(reason).toBeInstanceOf(LockLostError);
    expect(reason).toMatchObject({ message: expect.stringContaining('the application is shutting down') });
    await stage.expectNothingLeft();
  });

  test('frees what is not unlocked, on all servers, and another service gets it', async () => {
    const [service, other] = [await stage.openAll(), await stage.openAll()];
    const held = await service.getRedLock('x').lock();
    const { signal } = held;
    const waiting = other.getRedLock('x').lock();
    await stage.untilAsleep('x');
    await service.shutDown();
    expect([held.isHeld, signal.aborted]).toEqual([false, true]);
    expect(await held.unlock()).toBe('lost');
    expect(await (await waiting).unlock()).toBe('released');
    await stage.expectNothingLeft();
  });

  test('leaves no key of a question that was under way', async () => {
    for (const ask of ['lock', 'tryLock'] as const) {
      const service = await stage.openAll();
      await service.getRedLock('warm').using(() => undefined);
      const asked = Array.from({ length: 10 }, async (_, index) =>
        (await service.getRedLock(`x${index}`)[ask]())?.unlock(),
      );
      const ends = Promise.allSettled(asked);
      // After this the questions are sent, and no answer is there.
      await new Promise(process.nextTick);
      await service.shutDown();
      await ends;
      expect(service.engine.context.wheel.size).toBe(0);
      await stage.expectNothingLeft();
    }
  });

  test('comes to an end while the majority is away, and leaves neither timer nor socket', async () => {
    const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length;
    await Promise.all(stage.seats.map(({ admin }) => admin.ping()));
    const before = sockets();
    const service = await stage.openAll();
    const held = await service.getRedLock('x').lock();
    // With three of them two that are away would not be in the way of its release.
    await until('all have it', () => stage.holds(service, 'x') === 5);
    await stage.kill(0, 1);
    await Promise.all(stage.some(2, 3).map((seat) => seat.pause()));
    const waiting = service.getRedLock('y').lock();
    waiting.catch(() => undefined);
    const unlocked = held.unlock().catch((error: unknown) => error);
    const start = performance.now();
    await service.shutDown();
    // The work's time, the time to let go, one round trip for what is left, and again for rounds under way.
    expect(performance.now() - start).toBeLessThan(200 + 1000 + 300 + 300 + scaled(500));
    await expect(waiting).rejects.toMatchObject(SHUTTING_DOWN);
    expect(await unlocked).toMatchObject({ code: 'UNAVAILABLE' });
    await until('no timer is left', () => service.engine.context.wheel.size === 0);
    await stage.heal();
    await Promise.all(stage.seats.map(({ admin }) => admin.ping()));
    await until('no socket is left', () => sockets() <= before);
  });
});
