import { afterAll, describe, expect, test } from 'vitest';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { LoopLag } from '../support/faults/loop.lag.js';
import { OUTAGES, type Outage } from '../support/faults/outages.js';

/** After Redis' return nobody waits for it longer than this, in ms. */
const SOON = 2000;

const options = { timeout: scaled(30_000) };

const lag = new LoopLag();
afterAll(() => lag.stop());

interface Scene {
  readonly stage: FaultStage;
  readonly wire: TcpProxy;
}

/** Plays on a Redis of its own; in the end nothing may be left. */
async function play(act: (scene: Scene) => Promise<void>): Promise<void> {
  const stage = await FaultStage.own();
  try {
    const wire = await stage.proxy();
    await act({ stage, wire });
    await stage.expectNothingLeft(10_000);
  } finally {
    await stage.close();
  }
}

const stateOf = (service: LockService, name: string) =>
  service.engine.localLocks.get(service.settings.mapName(name))?.holds[0]?.lease.state;

const passed = (ms: number) => {
  const start = performance.now();
  return until(`${ms} ms are over`, () => performance.now() - start >= ms, ms + 5000);
};

async function expectSoon(waiting: Promise<unknown>, since: number): Promise<void> {
  await waiting;
  expect(performance.now() - since).toBeLessThan(scaled(SOON));
}

describe.concurrent.each(OUTAGES)('after Redis was $name', (outage: Outage) => {
  test.for([300, 2400])(
    'a lock() without a bound that began meanwhile has its lock soon (%i ms)',
    options,
    (ms) =>
      play(async ({ stage, wire }) => {
        const service = await stage.open({}, wire);
        await service.getLock('x').using(() => undefined);
        await outage.begin(stage, wire);
        const waiting = [service.getLock('x').lock(), service.getLock('y').lock({ leaseTime: '20s' })];
        await passed(ms);
        await outage.end(stage, wire);
        await expectSoon(Promise.all(waiting), performance.now());
        for (const handle of await Promise.all(waiting)) expect(await handle.unlock()).toBe('released');
      }),
  );

  test(
    'a lock() that slept when it began is woken soon, or by the safety net where the break was not noticed',
    options,
    () =>
      play(async ({ stage, wire }) => {
        const T = 1500;
        const service = await stage.open({ lockWatchdogTimeout: T }, wire);
        const other = await stage.open({ lockWatchdogTimeout: T });
        const held = await other.getLock('x').lock();
        const waiting = service.getLock('x').lock();
        await until('it sleeps', async () => (await stage.sleepers('x')) === 1);
        await outage.begin(stage, wire);
        await passed(300);
        // Where the way is broken the message of the release is lost; where Redis is, it comes after its return.
        const unlocked = held.unlock().catch(() => 'unanswered');
        await passed(300);
        await outage.end(stage, wire);
        const back = performance.now();
        const handle = await waiting;
        expect(performance.now() - back).toBeLessThan(T + scaled(SOON));
        expect(await handle.unlock()).toBe('released');
        await unlocked;
      }),
  );
});

describe.concurrent.each(OUTAGES.filter(({ keepsData }) => keepsData))(
  'a lock that is held while Redis is $name',
  (outage) => {
    test('survives when that is short: unknown for a while, then renewed', options, () =>
      play(async ({ stage, wire }) => {
        const T = 3000;
        const service = await stage.open({ lockWatchdogTimeout: T, commandTimeout: 300 }, wire);
        const notices = stage.notices(service);
        const handle = await service.getLock('x').lock();
        const { signal } = handle;
        await outage.begin(stage, wire);
        await until('the lease is unknown', () => stateOf(service, 'x') === 'unknown');
        expect(handle.isHeld).toBe(true);
        // Not certain any more, so nobody is told without asking Redis that it is taken.
        await expect(service.getLock('x').tryLock()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
        await outage.end(stage, wire);
        await until('the lease is renewed', () => stateOf(service, 'x') === 'renewed');
        expect([handle.isHeld, signal.aborted]).toEqual([true, false]);
        expect(await stage.admin.pttl(stage.key('x'))).toBeGreaterThan(T / 2);
        expect(notices.filter(({ kind }) => kind === 'unknown')).toHaveLength(1);
        expect(notices.filter(({ kind }) => kind === 'lost')).toHaveLength(0);
        expect(await handle.unlock()).toBe('released');
      }),
    );

    test(
      'is lost before its lease ends when that lasts, and an unlock after the return changes nothing',
      options,
      () =>
        play(async ({ stage, wire }) => {
          const T = 1200;
          const service = await stage.open({ lockWatchdogTimeout: T, commandTimeout: 300 }, wire);
          const handle = await service.getLock('x').lock();
          const granted = performance.now();
          const { signal } = handle;
          let aborted = Infinity;
          signal.addEventListener('abort', () => (aborted = performance.now()));
          await outage.begin(stage, wire);
          await until('the signal is aborted', () => signal.aborted);
          // What this process is late by itself, with all that goes on in it at once, is not the library's.
          expect(aborted - granted).toBeLessThan(T + lag.worst);
          expect(signal.reason).toMatchObject({ code: 'LOST', lock: 'x' });
          await passed(scaled(150));
          await outage.end(stage, wire);
          const other = await stage.open();
          const next = await other.getLock('x').lock();
          expect(await handle.unlock()).toBe('lost');
          expect(await stage.counts('x')).toEqual({ [next.holder]: '1' });
          expect(await next.unlock()).toBe('released');
        }),
    );
  },
);

describe.concurrent('a lock that is held while', () => {
  test('Redis is killed, and comes back empty, is lost within a third of its lease', options, () =>
    play(async ({ stage }) => {
      const service = await stage.open({ lockWatchdogTimeout: 3000, commandTimeout: 300 });
      const handle = await service.getLock('x').lock();
      await stage.redis.kill();
      await stage.restart();
      const back = performance.now();
      await until('the signal is aborted', () => handle.signal.aborted);
      expect(performance.now() - back).toBeLessThan(1000 + scaled(SOON));
      expect(await handle.unlock()).toBe('lost');
      expect(await service.getLock('x').using(() => 'ran')).toBe('ran');
    }),
  );

  test(
    'a NAT forgets its connections is renewed over new ones, and a waiter has its lock soon',
    options,
    () =>
      play(async ({ stage, wire }) => {
        const service = await stage.open({ lockWatchdogTimeout: 6000 }, wire);
        const handle = await service.getLock('x').lock();
        wire.halfOpen();
        const start = performance.now();
        const waiting = service.getLock('y').lock();
        await expectSoon(waiting, start);
        await until('the lease is renewed', () => stateOf(service, 'x') === 'renewed');
        expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
        expect(await handle.unlock()).toBe('released');
        expect(await (await waiting).unlock()).toBe('released');
      }),
  );
});
