import { describe, expect, test } from 'vitest';
import { fairRelease } from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { lockChannel } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { fairKeysOf } from '../models/fair.actions.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { KindStage } from './kind.stage.js';
import { standStill } from '../support/stand.still.js';

const options = { timeout: scaled(30_000) };
const name = 'x';
/** The lease with which a lock is given, in ms, and the one with which it is begun. */
const [GIFT, WATCHDOG] = [3000, 30_000];

test('a queue of waiters of two processes costs two commands a hold, and is served in order', options, () =>
  KindStage.play('own', async (stage) => {
    const HOLDS = 40;
    const services = [await stage.faults.open(), await stage.faults.open()];
    const holder = await stage.faults.open();
    const held = await holder.getFairLock(name).lock();
    const order: number[] = [];
    const ends = [];
    for (let number = 0; number < HOLDS; number += 1) {
      const lock = services[number % 2]?.getFairLock(name);
      ends.push(lock?.using(() => order.push(number)));
      await stage.queued(name, number + 1);
    }
    const channels = async () => (await stage.faults.services.channels()).length;
    await until('each listens on its own channel', async () => (await channels()) === HOLDS);
    // Who has subscribed asks once more.
    const asked = async () => (await stage.sent()).get('evalsha') ?? 0;
    await until('all have asked again', async () => (await asked()) >= 2 * HOLDS);
    const before = await asked();
    await held.unlock();
    await Promise.all(ends);
    const sent = (await asked()) - before;
    console.log(`${HOLDS} holds: ${sent} scripts`);
    // A renewal and a release each, and a few signs of life.
    expect(sent).toBeLessThan(2.5 * HOLDS);
    expect(order).toEqual(Array.from({ length: HOLDS }, (_, number) => number));
  }),
);

test('a queue of waiters of one process costs a command a hold, and is served in order', options, () =>
  KindStage.play('own', async (stage) => {
    const HOLDS = 40;
    const service = await stage.faults.open();
    const held = await service.getFairLock(name).lock();
    const order: number[] = [];
    const ttls: Promise<number>[] = [];
    const ends = [];
    for (let number = 0; number < HOLDS; number += 1) {
      const work = () => {
        order.push(number);
        ttls.push(stage.faults.admin.pttl(stage.faults.key(name)));
      };
      ends.push(service.getFairLock(name).using(work));
      await stage.queued(name, number + 1);
    }
    const asked = async () => (await stage.sent()).get('evalsha') ?? 0;
    await until('all have asked again', async () => (await asked()) >= 2 * HOLDS);
    const before = await asked();
    await held.unlock();
    await Promise.all(ends);
    const sent = (await asked()) - before;
    console.log(`${HOLDS} holds: ${sent} scripts`);
    // A release each, and a few signs of life.
    expect(sent).toBeLessThan(1.5 * HOLDS);
    expect(order).toEqual(Array.from({ length: HOLDS }, (_, number) => number));
    // The last look may come after the last release.
    const leases = (await Promise.all(ttls)).slice(0, -1);
    expect(Math.min(...leases)).toBeGreaterThan(WATCHDOG - scaled(2000));
  }),
);

test.each([
  ['a leaseTime', {}, { leaseTime: '20s' }],
  ['a watchdog that is no longer', { lockWatchdogTimeout: GIFT }, {}],
] as const)('a waiter with %s acquires the lock by itself', options, (_what, settings, asked) =>
  KindStage.play('shared', async (stage) => {
    const held = await (await stage.faults.open()).getFairLock(name).lock();
    const waiting = (await stage.faults.open(settings)).getFairLock(name).lock(asked);
    await stage.queued(name, 1);
    const { waits } = fairKeysOf(stage.faults.key(name));
    expect(Object.values(await stage.faults.admin.hgetall(waits))).toEqual(['300000']);
    await held.unlock();
    expect(await (await waiting).unlock()).toBe('released');
  }),
);

describe.concurrent('a lock that was handed off', () => {
  test('is begun with the lease of the watchdog', options, () =>
    KindStage.play('shared', async (stage) => {
      const held = await (await stage.faults.open()).getFairLock(name).lock();
      const waiting = (await stage.faults.open()).getFairLock(name).lock();
      await stage.queued(name, 1);
      await held.unlock();
      const given = await waiting;
      expect(await stage.faults.admin.pttl(stage.faults.key(name))).toBeGreaterThan(WATCHDOG - scaled(2000));
      expect(await given.unlock()).toBe('released');
    }),
  );

  test('is begun only when Redis confirms it, whatever a message announces', options, () =>
    KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const held = await (await stage.faults.open()).getFairLock(name).lock();
      let isBegun = false;
      const waiting = (await stage.faults.open()).getFairLock(name).lock();
      void waiting.then(() => (isBegun = true));
      await stage.queued(name, 1);
      const channel = `${lockChannel(stage.faults.key(name))}:${(await stage.queue(name))[0]}`;
      await until('a message is heard', async () => (await admin.publish(channel, '2')) === 1);
      // What it does about it is over when it asks again, and sleeps.
      for (let time = 0; time < 20; time += 1) {
        expect(await admin.publish(channel, '2')).toBe(1);
        expect(Object.keys(await stage.faults.counts(name))).toEqual([held.holder]);
      }
      expect(isBegun).toBe(false);
      await held.unlock();
      expect(await (await waiting).unlock()).toBe('released');
    }),
  );

  test('is counted, and kept, where its scope takes it again at once', options, () =>
    KindStage.play('shared', async (stage) => {
      const held = await (await stage.faults.open()).getFairLock(name).lock();
      const lock = (await stage.faults.open()).getFairLock(name);
      const ttl = async () => await stage.faults.admin.pttl(stage.faults.key(name));
      const work = lock.using(async () => {
        const [short, long] = [await lock.lock({ leaseTime: 300 }), await lock.lock()];
        expect(Object.values(await stage.faults.counts(name))).toEqual(['3']);
        expect(await long.unlock()).toBe('kept');
        await until('the short one is over', () => !short.isHeld);
        expect(await ttl()).toBeGreaterThan(GIFT);
        return 'done';
      });
      await stage.queued(name, 1);
      await held.unlock();
      expect(await work).toBe('done');
    }),
  );

  test('to a waiter that does not receive the message is found by the next heartbeat', options, () =>
    KindStage.play('shared', async (stage) => {
      const { admin } = stage.faults;
      const held = await (await stage.faults.open()).getFairLock(name).lock();
      const waiting = (await stage.faults.open()).getFairLock(name).lock();
      await stage.queued(name, 1);
      const key = stage.faults.key(name);
      const channel = lockChannel(key);
      const [waiter] = await stage.queue(name);
      const heard = async () => (await admin.pubsub('NUMSUB', `${channel}:${waiter}`))[1];
      await until('it listens', async () => (await heard()) === 1);
      // A message that arrives nowhere: it is written to a set.
      const keys = Object.values(fairKeysOf(key));
      const args = ['SADD', 5000, 0, held.holder, 0, WATCHDOG, channel];
      const start = performance.now();
      expect(await admin.eval(fairRelease.text, keys.length, ...keys, ...args)).toEqual([[1, 1]]);
      expect(await admin.del(`${channel}:${waiter}`)).toBe(1);
      const given = await waiting;
      console.log(`a gift that was not heard of: found after ${(performance.now() - start).toFixed(0)} ms`);
      expect(given.holder).toBe(waiter);
      expect(performance.now() - start).toBeLessThan(scaled(2500));
      expect(await given.unlock()).toBe('released');
      expect(await held.unlock()).toBe('lost');
    }),
  );

  test('to a waiter that leaves at that moment goes to the next one', options, () =>
    KindStage.play('shared', async (stage) => {
      const [first, second] = [await stage.faults.open(), await stage.faults.open()];
      for (let round = 0; round < 20; round += 1) {
        const held = await first.getFairLock(name).lock();
        const leaving = new AbortController();
        const gone = second.getFairLock(name).lock({ signal: leaving.signal });
        await stage.queued(name, 1);
        const next = first.getFairLock(name).lock();
        await stage.queued(name, 2);
        const freed = held.unlock();
        // Before the message, while it is on its way, or after it.
        if (round % 3 > 0) await new Promise(setImmediate);
        if (round % 3 > 1) await freed;
        leaving.abort('gone');
        const who = await gone.catch((reason: unknown) => reason);
        if (who !== 'gone') await (who as Awaited<typeof gone>).unlock();
        expect(await (await next).unlock()).toBe('released');
        await freed;
        const { lock, ...queue } = fairKeysOf(stage.faults.key(name));
        await until(
          'nothing is left of it',
          async () => (await stage.faults.admin.exists(lock, ...Object.values(queue))) === 0,
        );
      }
    }),
  );
});

test(
  'a lock that was handed off stays with its holder while its work blocks the event loop from its first instruction on',
  options,
  () =>
    KindStage.play('shared', async (stage) => {
      const held = await (await stage.faults.open()).getFairLock(name).lock();
      const waiting = (await stage.faults.open()).getFairLock(name).using(({ holder, signal }) => {
        standStill(GIFT + 200);
        return { holder, isAborted: signal.aborted };
      });
      await stage.queued(name, 1);
      await held.unlock();
      expect(await waiting).toEqual({ holder: expect.any(String), isAborted: false });
    }),
);
