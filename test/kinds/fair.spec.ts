import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LockHandle, LockOptions } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import { LockNotAcquiredError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { Random } from '../support/random.js';
import { scaled } from '../support/slowness.js';
import { Stopwatch } from '../support/stopwatch.js';
import { KindStage } from './kind.stage.js';

const options = { timeout: scaled(30_000) };
const name = 'x';

/** Waits in ms: ten waiters must be in the queue before the first of them gives up, and one must outlast them. */
const SOON_OVER = scaled(1500);
const PATIENCE = scaled(6000);
const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);

/** Two services that stand in one queue, in turns, in a known order. */
class Line {
  readonly granted: { readonly number: number; readonly at: number }[] = [];
  readonly ends: Promise<unknown>[] = [];

  constructor(
    private readonly stage: KindStage,
    private readonly services: readonly LockService[],
  ) {}

  /** Begins to wait, and stands in the queue when this resolves. `then` ends the hold. */
  async enter(
    number: number,
    asked: LockOptions = {},
    then: (handle: LockHandle) => Promise<unknown> = (handle) => handle.unlock(),
  ): Promise<void> {
    const before = (await this.stage.queue(name)).length;
    const service = this.services[number % this.services.length];
    if (service === undefined) throw new Error('there is no service');
    const end = service
      .getFairLock(name)
      .lock(asked)
      .then(
        async (handle) => {
          this.granted.push({ number, at: performance.now() });
          return await then(handle);
        },
        (error: unknown) => (error instanceof LockNotAcquiredError ? error.code : error),
      );
    this.ends.push(end);
    await this.stage.queued(name, before + 1);
  }

  get order(): number[] {
    return this.granted.map(({ number }) => number);
  }
}

/** When each waiter gives up, in ms from now by the store's clock. */
async function times(stage: KindStage): Promise<number[]> {
  const { admin } = stage.faults;
  const scores = await admin.zrange(stage.beside('redisson_lock_timeout', name), 0, '-1', 'WITHSCORES');
  const [seconds = 0, micros = 0] = (await admin.time()).map(Number);
  const now = seconds * 1000 + micros / 1000;
  return scores.filter((_, index) => index % 2 === 1).map((score) => Number(score) - now);
}

async function twoServices(stage: KindStage, settings = {}): Promise<[LockService, LockService]> {
  return [await stage.faults.open(settings), await stage.faults.open(settings)];
}

describe.concurrent('leases that end', () => {
  test.each([
    [8, 400],
    [3, 1300],
  ])(
    'let %i waiters that never unlock in, in their order, each at the end of the lease of %i ms before',
    options,
    (waiters, lease) =>
      KindStage.play('shared', async (stage) => {
        const services = await twoServices(stage);
        const line = new Line(stage, services);
        const held = await services[0].getFairLock(name).lock();
        for (const number of numbersTo(waiters))
          await line.enter(number, { leaseTime: lease }, () => Promise.resolve('kept'));
        await held.unlock();
        await Promise.all(line.ends);
        expect(line.order).toEqual(numbersTo(waiters));
        const gaps = line.granted.slice(1).map(({ at }, index) => at - (line.granted[index]?.at ?? 0));
        console.log(`leases of ${lease} ms: gaps ${gaps.map((gap) => gap.toFixed(0)).join(', ')} ms`);
        expect(Math.min(...gaps)).toBeGreaterThan(lease - scaled(100));
        expect(Math.max(...gaps)).toBeLessThan(lease + scaled(250));
      }),
  );

  test("of a process that died let the next one in at the lease's end", options, () =>
    KindStage.play('shared', async (stage) => {
      const T = 900;
      const services = await twoServices(stage, { lockWatchdogTimeout: T });
      const worker = await stage.fork({ lockWatchdogTimeout: T });
      const line = new Line(stage, services);
      worker.take(1, 'fair', name);
      await worker.told('granted', 1);
      for (const number of numbersTo(4)) await line.enter(number);
      await worker.kill();
      const left = await stage.faults.admin.pttl(stage.faults.key(name));
      const watch = new Stopwatch();
      await Promise.all(line.ends);
      expect(line.order).toEqual(numbersTo(4));
      const late = (line.granted[0]?.at ?? 0) - watch.started - watch.late - left;
      console.log(`granted ${late.toFixed(0)} ms after the end of a dead holder's lease`);
      expect(late).toBeLessThan(scaled(250));
    }),
  );
});

describe.concurrent('waiters that leave', () => {
  test('because their time is over do not delay those behind them', options, () =>
    KindStage.play('shared', async (stage) => {
      const services = await twoServices(stage);
      const line = new Line(stage, services);
      const held = await services[0].getFairLock(name).lock({ leaseTime: '20s' });
      // While the ten are there, the time of the one behind them is as much later.
      for (const number of numbersTo(10)) await line.enter(number, { waitTime: SOON_OVER });
      await line.enter(10, { waitTime: PATIENCE });
      const before = Math.max(...(await times(stage)));
      await stage.queued(name, 1);
      const after = Math.max(...(await times(stage)));
      console.log(
        `its time: in ${before.toFixed(0)} ms behind ten that give up, in ${after.toFixed(0)} ms without them`,
      );
      expect(before - after).toBeGreaterThan(10_000);
      expect(after).toBeLessThan(20_000 + PATIENCE);
      const watch = new Stopwatch();
      await held.unlock();
      expect(await line.ends[10]).toBe('released');
      expect(watch.ms).toBeLessThan(scaled(250));
      expect(new Set(await Promise.all(line.ends.slice(0, 10)))).toEqual(new Set(['NOT_ACQUIRED']));
      expect(line.order).toEqual([10]);
    }),
  );

  test('by their signal, from the middle, leave the order of the others alone', options, () =>
    KindStage.play('shared', async (stage) => {
      const services = await twoServices(stage);
      const line = new Line(stage, services);
      const held = await services[0].getFairLock(name).lock();
      const aborts = numbersTo(9).map(() => new AbortController());
      for (const number of numbersTo(9)) await line.enter(number, { signal: aborts[number]?.signal });
      const before = await times(stage);
      for (const number of [4, 5, 2]) aborts[number]?.abort('left');
      expect(await Promise.all([4, 5, 2].map((number) => line.ends[number]))).toEqual([
        'left',
        'left',
        'left',
      ]);
      await stage.queued(name, 6);
      const after = await times(stage);
      // Three waits of 5 minutes are off the last one's time, none off the first one's.
      expect((before.at(-1) ?? 0) - (after.at(-1) ?? 0)).toBeGreaterThan(900_000 - 1);
      expect((before[0] ?? 0) - (after[0] ?? 0)).toBeLessThan(scaled(5000));
      await held.unlock();
      await Promise.all(line.ends);
      expect(line.order).toEqual([0, 1, 3, 6, 7, 8]);
    }),
  );

  test('a hundred of them in any order leave nothing, and block no other waiter', options, () =>
    KindStage.play('shared', async (stage) => {
      const services = await twoServices(stage);
      const random = new Random();
      const held = await services[0].getFairLock(name).lock();
      const ends = numbersTo(100).map(async (number) => {
        const lock = services[number % 2]?.getFairLock(name);
        return await lock?.tryLock({ waitTime: 200 + random.below(500) });
      });
      expect(new Set(await Promise.all(ends)), `FAULT_SEED=${random.seed}`).toEqual(new Set([null]));
      await stage.queued(name, 0);
      expect(await services[1].getFairLock(name).tryLock()).toBeNull();
      await held.unlock();
      const next = await services[1].getFairLock(name).tryLock();
      expect(await next?.unlock()).toBe('released');
    }),
  );

  test('with waits of all lengths keep the order of the waiters that stay, and of later ones', options, () =>
    KindStage.play('shared', async (stage) => {
      const services = await twoServices(stage);
      const line = new Line(stage, services);
      const held = await services[0].getFairLock(name).lock();
      const waits = ['10s', 700, undefined, 600, '1m', 800, undefined, 900, '5s'] as const;
      for (const [number, waitTime] of waits.entries()) await line.enter(number, { waitTime });
      await stage.queued(name, 5);
      for (const number of [9, 10]) await line.enter(number, { waitTime: '20s' });
      await held.unlock();
      await Promise.all(line.ends);
      expect(line.order).toEqual([0, 2, 4, 6, 8, 9, 10]);
    }),
  );
});

describe.concurrent('a long wait', () => {
  test('behind a hold that lasts longer than the declared wait keeps its place', options, () =>
    KindStage.play('shared', async (stage) => {
      const services = await twoServices(stage, { fairLockWaitTimeout: '1s' });
      const line = new Line(stage, services);
      const held = await services[0].getFairLock(name).lock();
      for (const number of numbersTo(6)) await line.enter(number);
      const queue = await stage.queue(name);
      const start = performance.now();
      while (performance.now() - start < 3500) {
        expect(await stage.queue(name)).toEqual(queue);
        await sleep(50);
      }
      await held.unlock();
      await Promise.all(line.ends);
      expect(line.order).toEqual(numbersTo(6));
    }),
  );

  test('of thousands is shorter for each of them by the wait of the one that is granted', options, () =>
    KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const wait = 10_000;
      const services = await twoServices(stage, { fairLockWaitTimeout: wait });
      const held = await services[0].getFairLock(name).lock();
      const granted = services[1].getFairLock(name).lock();
      await stage.queued(name, 1);
      // Waiters of another client, which have declared nothing. More than a script can name in one call.
      const others = numbersTo(6000).map((number) => ({
        id: `another:${number}`,
        at: Date.now() + 3_600_000 + number * 7,
      }));
      const queue = stage.beside('redisson_lock_queue', name);
      const timeout = stage.beside('redisson_lock_timeout', name);
      await admin.rpush(queue, ...others.map(({ id }) => id));
      await admin.zadd(timeout, ...others.flatMap(({ id, at }) => [at, id]));
      await held.unlock();
      const handle = await granted;
      const scores = await admin.zrange(timeout, 0, '-1', 'WITHSCORES');
      expect(scores).toEqual(others.flatMap(({ id, at }) => [id, `${at - wait}`]));
      await admin.del(queue, timeout);
      await handle.unlock();
    }),
  );

  test('of twenty through a cut of their connections ends in their order', options, () =>
    KindStage.play('shared', async (stage) => {
      const wires = [await stage.faults.proxy(), await stage.faults.proxy()];
      const services = await Promise.all(wires.map((wire) => stage.faults.open({}, wire)));
      const holder = await stage.faults.open();
      const line = new Line(stage, services);
      const held = await holder.getFairLock(name).lock();
      for (const number of numbersTo(20)) await line.enter(number);
      for (const wire of wires) wire.cut();
      await held.unlock();
      const start = performance.now();
      expect(new Set(await Promise.all(line.ends))).toEqual(new Set(['released']));
      console.log(`20 through a cut: all done after ${(performance.now() - start).toFixed(0)} ms`);
      expect(line.order).toEqual(numbersTo(20));
      expect(performance.now() - start).toBeLessThan(scaled(5000));
    }),
  );

  test(
    'of twenty through a restart of Redis that forgot the queue ends for all, one at a time',
    options,
    () =>
      KindStage.play('own', async (stage) => {
        const services = await twoServices(stage, { lockWatchdogTimeout: 1500 });
        const line = new Line(stage, services);
        let inside = 0;
        await services[0].getFairLock(name).lock();
        for (const number of numbersTo(20)) {
          await line.enter(number, {}, async (handle) => {
            expect((inside += 1)).toBe(1);
            await sleep(5);
            inside -= 1;
            return await handle.unlock();
          });
        }
        await stage.faults.redis.kill();
        await stage.faults.restart();
        const start = performance.now();
        expect(new Set(await Promise.all(line.ends))).toEqual(new Set(['released']));
        console.log(`20 through a restart: all done after ${(performance.now() - start).toFixed(0)} ms`);
        expect(line.order.toSorted((one, other) => one - other)).toEqual(numbersTo(20));
        expect(performance.now() - start).toBeLessThan(scaled(8000));
      }),
  );
});
