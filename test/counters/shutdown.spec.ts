import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { latchChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { Gate } from '../locks/gate.js';
import { CounterFleet } from './counter.fleet.js';

const SHUTTING_DOWN = { name: 'LockUnavailableError', code: 'SHUTTING_DOWN' };
let fleet: CounterFleet;
let one: LockService;
let other: LockService;
beforeEach(async () => {
  fleet = new CounterFleet();
  [one, other] = await Promise.all([fleet.open({ shutdownTimeout: 100 }), fleet.open()]);
});
afterEach(() => fleet.close());

/** A service with much time for its shutdown, and its way to Redis. */
async function behindWire() {
  const wire = await fleet.proxy();
  return { wire, cut: await fleet.open({ shutdownTimeout: scaled(20_000), commandTimeout: 300 }, wire) };
}

describe('at shutdown', () => {
  test('waiters get an error, and nothing is left of them', async () => {
    await other.getCountDownLatch('l').trySetCount(1);
    const waiting = [
      one.getSemaphore('s').acquire(),
      one.getSemaphore('s').tryAcquire(1, { waitTime: 60_000 }),
      one.getCountDownLatch('l').await(),
      one.getPermitExpirableSemaphore('p').acquire(),
    ];
    await fleet.asleep(1, 's');
    await fleet.asleep(1, 'p');
    await fleet.asleep(1, 'l', latchChannel(fleet.key('l')));
    const ended = Promise.allSettled(waiting);
    const start = performance.now();
    await one.shutDown();
    expect(performance.now() - start).toBeLessThan(scaled(500));
    for (const result of await ended)
      expect(result).toMatchObject({ status: 'rejected', reason: SHUTTING_DOWN });
    await fleet.expectNothingLeft('l');
  });

  test('no new caller is granted a permit, except inside a lock', async () => {
    const semaphore = one.getSemaphore('s');
    const latch = one.getCountDownLatch('l');
    await semaphore.trySetPermits(2);
    const [inside, gate] = [new Gate(), new Gate()];
    const work = one.getLock('x').using(async () => {
      inside.open();
      await gate.opened;
      expect(await semaphore.tryAcquire()).toBe(true);
      await semaphore.acquire();
      expect(await latch.await()).toBe(true);
      await semaphore.release(2);
    });
    // Not when Redis has granted it, but when its holder knows: until then it is a newcomer, too.
    await inside.opened;
    const down = one.shutDown();
    await expect(semaphore.acquire()).rejects.toMatchObject(SHUTTING_DOWN);
    await expect(semaphore.tryAcquire()).rejects.toMatchObject(SHUTTING_DOWN);
    await expect(semaphore.using(() => 0)).rejects.toMatchObject(SHUTTING_DOWN);
    await expect(latch.await()).rejects.toMatchObject(SHUTTING_DOWN);
    gate.open();
    await work;
    await down;
    expect(await other.getSemaphore('s').availablePermits()).toBe(2);
    await fleet.expectNothingLeft('s');
  });

  test('a caller that still waits inside a lock when the time is over gets an error', async () => {
    const work = one.getLock('x').using(async () => {
      const waiting = [one.getSemaphore('s').acquire(), one.getCountDownLatch('l').await()];
      return await Promise.allSettled(waiting);
    });
    await other.getCountDownLatch('l').trySetCount(1);
    await fleet.asleep(1, 's');
    await one.shutDown();
    const [acquired] = await work;
    expect(acquired).toMatchObject({ status: 'rejected', reason: SHUTTING_DOWN });
    await fleet.expectNothingLeft('l');
  });

  test('work under permits may end, and gives them back', async () => {
    const patient = await fleet.open({ shutdownTimeout: 10_000 });
    const semaphore = patient.getSemaphore('s');
    await semaphore.trySetPermits(2);
    const gate = new Gate();
    const work = semaphore.using(async ({ signal }) => {
      await gate.opened;
      return signal.aborted;
    });
    await until('it is in', async () => (await semaphore.availablePermits()) === 1);
    const down = patient.shutDown();
    gate.open();
    expect(await work).toBe(false);
    await down;
    expect(await other.getSemaphore('s').availablePermits()).toBe(2);
  });

  const doors: readonly (readonly [string, string, (cut: LockService) => Promise<unknown>])[] = [
    ['a release', '3 permits, count 3', (cut) => cut.getSemaphore('s').release(2)],
    ['new permits', '3 permits, count 3', (cut) => cut.getSemaphore('s').addPermits(2)],
    ['the countdown of a latch', '1 permits, count 2', (cut) => cut.getCountDownLatch('l').countDown()],
  ];
  test.each(doors)(
    '%s, which no lease ends, is repeated for as long as work may go on, and not only for a round trip',
    async (_what, after, change) => {
      const { wire, cut } = await behindWire();
      const [semaphore, latch] = [other.getSemaphore('s'), other.getCountDownLatch('l')];
      await semaphore.trySetPermits(1);
      await latch.trySetCount(3);
      await cut.getSemaphore('s').availablePermits();
      wire.refuse();
      await expect(change(cut)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      const down = cut.shutDown();
      // An outage that lasts longer than a round trip may.
      await sleep(1000);
      wire.restore();
      await down;
      expect(`${await semaphore.availablePermits()} permits, count ${await latch.getCount()}`).toBe(after);
    },
  );

  test('a call that Redis has not answered yet is waited for, and repeated', async () => {
    const { wire, cut } = await behindWire();
    const latch = other.getCountDownLatch('l');
    await latch.trySetCount(3);
    await cut.getCountDownLatch('l').getCount();
    const notices = fleet.notices(cut);
    wire.refuse();
    const call = cut.getCountDownLatch('l').countDown();
    const ended = Promise.allSettled([call]);
    const down = cut.shutDown();
    expect(await ended).toMatchObject([{ status: 'rejected', reason: { code: 'UNAVAILABLE' } }]);
    await sleep(1000);
    expect(notices).toContainEqual(
      expect.objectContaining({
        kind: 'shutdown-waits',
        reasons: ['semaphores or latches have calls that Redis has not answered'],
      }),
    );
    wire.restore();
    await down;
    expect(await latch.getCount()).toBe(2);
  });

  test('the work under permits that ends while Redis is away gives them back', async () => {
    const { wire, cut } = await behindWire();
    await other.getSemaphore('s').trySetPermits(1);
    const gate = new Gate();
    const work = cut.getSemaphore('s').using(() => gate.opened);
    await until('it is in', async () => (await other.getSemaphore('s').availablePermits()) === 0);
    wire.refuse();
    const down = cut.shutDown();
    gate.open();
    await work.catch(() => undefined);
    await sleep(1000);
    wire.restore();
    await down;
    expect(await other.getSemaphore('s').availablePermits()).toBe(1);
  });

  test('work that does not end is aborted by its signal, and its permits are given back without it', async () => {
    const semaphore = one.getSemaphore('s');
    await semaphore.trySetPermits(3);
    const gate = new Gate();
    const reasons: unknown[] = [];
    const deaf = semaphore.using(({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return gate.opened;
    });
    const late = semaphore.using(async (taken) => {
      await gate.opened;
      return taken.signal.aborted;
    });
    await until('they are in', async () => (await semaphore.availablePermits()) === 1);
    await one.shutDown();
    expect(reasons).toMatchObject([{ name: 'LockLostError', lock: 's' }]);
    expect(await other.getSemaphore('s').availablePermits()).toBe(3);
    gate.open();
    await deaf;
    expect(await late).toBe(true);
    expect(await other.getSemaphore('s').availablePermits()).toBe(3);
    await fleet.expectNothingLeft('s');
  });
});
