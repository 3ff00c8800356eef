import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import type { FaultWorker } from '../support/faults/fault.worker.js';
import { FaultStage } from '../support/faults/fault.stage.js';

/** The watchdog's lease, in ms. */
const T = 3000;
const LOCKS = 1000;
const names = Array.from({ length: LOCKS }, (_, index) => `lock-${index}`);

let stage: FaultStage;
let wire: TcpProxy;
let worker: FaultWorker;

beforeEach(async () => {
  stage = await FaultStage.own();
  wire = await stage.proxy();
  worker = await stage.fork('hold.worker.js', { lockWatchdogTimeout: T }, wire);
});
afterEach(() => stage.close());

const epoch = () => performance.timeOrigin + performance.now();

/** When each lease will end in Redis, epoch ms: exact, as nothing that could renew one gets through any more. */
async function leaseEnds(): Promise<Map<string, number>> {
  const left = await Promise.all(names.map((name) => stage.admin.pttl(stage.key(name))));
  const at = epoch();
  return new Map(names.map((name, index) => [name, at + (left[index] ?? 0)]));
}

describe.each([
  { how: 'killed', begin: () => wire.refuse(), kill: () => stage.redis.kill() },
  { how: 'in a black hole', begin: () => wire.blackHole(), kill: () => Promise.resolve() },
])('while 1,000 locks are held and Redis is $how', ({ begin, kill }) => {
  test(
    'the process lives, and every signal aborts before its lease would end',
    { timeout: scaled(30_000) },
    async () => {
      await worker.ask({ do: 'hold', names });
      // Each was set once with its grant. A renewal under way at the break would leave a belief that is shorter than need be.
      await until('all leases have been renewed, and no renewal is under way', async () => {
        return (await leasesSet()) >= 2 * LOCKS && (await quiet());
      });
      expect(worker.of('aborted')).toEqual([]);
      // First the way to Redis, so that nothing can be renewed while the leases are looked at.
      begin();
      await until('only we are connected', async () => wire.connections === 0 || (await quiet()));
      const ends = await leaseEnds();
      await kill();
      await until('all signals are aborted', () => worker.of('aborted').length === LOCKS, T + 5000);

      const aborts = worker.of('aborted');
      expect(new Set(aborts.map(({ name }) => name)).size).toBe(LOCKS);
      expect(new Set(aborts.map(({ code }) => code))).toEqual(new Set(['LOST']));
      const ahead = aborts.map(({ name, at }) => (ends.get(name) ?? -Infinity) - at);
      console.log(
        `aborted ${Math.min(...ahead).toFixed(1)} to ${Math.max(...ahead).toFixed(1)} ms before the end of the lease`,
      );
      // What the process is late by itself is no lateness of the library's.
      expect(Math.min(...ahead) + Number(await worker.ask({ do: 'lag' }))).toBeGreaterThan(0);
      // Nor are locks given up long before.
      expect(Math.max(...ahead)).toBeLessThan(T * 0.2);
      // What goes on trying to reach Redis must not end the process either.
      const start = performance.now();
      await until('it has tried for a while', () => performance.now() - start > 1000);
      expect(worker.of('trouble')).toEqual([]);
      expect(await worker.ask({ do: 'unlock', name: 'lock-0' })).toBe('lost');
    },
  );
});

/** How often a lease was set or renewed in all. */
async function leasesSet(): Promise<number> {
  const stats = await stage.admin.info('commandstats');
  return Number(/cmdstat_pexpire:calls=(\d+)/.exec(stats)?.[1]);
}

/** Whether no lease is renewed for a while: renewals of locks that were taken together come together. */
async function quiet(): Promise<boolean> {
  const before = await leasesSet();
  const start = performance.now();
  await until('a while is over', () => performance.now() - start > 100);
  return (await leasesSet()) === before;
}
