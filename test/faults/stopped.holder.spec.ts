import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { HolderProcess } from './holder.process.js';

const LEASE = 1500;

let redis: RunningRedis;
let services: Services;
let holder: HolderProcess | undefined;

beforeEach(async () => {
  redis = await startRedis();
  services = new Services(redis.url);
});

afterEach(async () => {
  await holder?.kill();
  holder = undefined;
  await services.close();
  await redis.stop();
});

test(
  'a process that was stopped for twice its lease sees at its first instruction that it lost the lock, and cannot take it from the next holder',
  async () => {
    holder = await HolderProcess.start(redis.url, services.prefix, LEASE);
    await holder.ask({ kind: 'hold', names: ['x'] }, 'holding');
    const next = await services.open();
    const granted = next.getLock('x').lock();

    await holder.ask({ kind: 'spin', name: 'x' }, 'spinning');
    await sleep(100); // within the lease: the process is busy with nothing by now
    holder.child.kill('SIGSTOP');
    await sleep(2 * LEASE);
    const handle = await granted;
    holder.child.kill('SIGCONT');

    expect(await holder.next('woke')).toEqual({ kind: 'woke', isHeld: false, aborted: true });
    expect(await holder.ask({ kind: 'unlock', name: 'x' }, 'unlocked')).toMatchObject({ outcome: 'lost' });
    expect(await services.admin.hget(`${services.prefix}x`, handle.holder)).toBe('1');
    expect(handle.isHeld).toBe(true);
    expect(await handle.unlock()).toBe('released');
  },
  scaled(30_000),
);

test(
  'a killed process delays the next holder by its lease and no more',
  async () => {
    holder = await HolderProcess.start(redis.url, services.prefix, LEASE);
    await holder.ask({ kind: 'hold', names: ['x'] }, 'holding');
    const granted = (await services.open()).getLock('x').lock();
    await until('the waiter listens', async () => (await services.channels()).length === 1);
    const killed = performance.now();
    await holder.kill();
    await (await granted).unlock();
    expect(performance.now() - killed).toBeLessThan(LEASE + scaled(100));
  },
  scaled(30_000),
);

test(
  'a process lives on when Redis is killed under a thousand locks: every signal aborts before its lease can end, and nothing is unhandled',
  async () => {
    const LOCKS = 1000;
    holder = await HolderProcess.start(redis.url, services.prefix, LEASE);
    const names = Array.from({ length: LOCKS }, (_, index) => `lock-${index}`);
    await holder.ask({ kind: 'hold', names }, 'holding');
    await sleep(LEASE); // the watchdog has been round
    expect(await holder.ask({ kind: 'look' }, 'state')).toMatchObject({ aborted: 0 });

    const killed = Date.now();
    await redis.kill();
    const asked = holder;
    await until(
      'every signal is aborted',
      async () => (await asked.ask({ kind: 'look' }, 'state')).aborted === LOCKS,
    );
    const { lastAbort, troubles } = await holder.ask({ kind: 'look' }, 'state');
    // The last renewal came before the kill, so no lease lasts longer than this.
    expect(lastAbort - killed).toBeLessThan(LEASE);
    await sleep(1000); // what goes on trying to reach Redis must not end the process either
    expect(troubles).toEqual([]);
    expect((await holder.ask({ kind: 'look' }, 'state')).troubles).toEqual([]);
    expect(holder.child.exitCode).toBeNull();
  },
  scaled(30_000),
);
