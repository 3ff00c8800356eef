import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LockLostError } from '../../libs/distributed-lock/src/errors/lock.errors.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { RedisFleet } from './lock.fleet.js';

/** The watchdog's lease, in ms: it asks at a third of it. */
const T = 1500;

test('a hold that was handed off inside the process is renewed, and notified of a loss, as the one before it was', async () => {
  const fleet = await RedisFleet.open({
    lockWatchdogTimeout: scaled(T),
    handOver: { max: 1000, time: '10s' },
  });
  const lock = fleet.one.getLock('x');
  const first = await lock.lock();
  const [second, third] = [lock.lock(), lock.lock()];
  await first.unlock();
  const taken = await second;
  expect(taken.holder).toBe(first.holder);
  await sleep(scaled(T) * 1.6);
  expect(taken.isHeld).toBe(true);
  await taken.unlock();
  const last = await third;
  expect([last.holder, last.signal.aborted]).toEqual([first.holder, false]);
  await fleet.wipe('x');
  await until('it is told', () => last.signal.aborted, T / 2);
  expect(last.signal.reason).toBeInstanceOf(LockLostError);
  expect(await last.unlock()).toBe('lost');
  await fleet.close();
});
