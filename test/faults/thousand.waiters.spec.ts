import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Duration } from '../../libs/distributed-lock/src/contracts/duration.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import type { RunningRedis } from '../../tools/redis/redis.types.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';

const WAITERS = 1000;
const HELD = 10_000;

let redis: RunningRedis;
let services: Services;

beforeEach(async () => {
  // A server of its own: its statistics count nothing but these services.
  redis = await startRedis();
  services = new Services(redis.url);
});

afterEach(async () => {
  await services.close();
  await redis.stop();
});

/** Calls of each command since the last reset, without those of the test itself. */
async function calls(): Promise<Record<string, number>> {
  const text = await services.admin.info('commandstats');
  const counted = [...text.matchAll(/^cmdstat_(?<name>[^:]+):calls=(?<calls>\d+)/gm)].map(({ groups }) => {
    return [groups?.['name'] ?? '', Number(groups?.['calls'])] as const;
  });
  return Object.fromEntries(counted.filter(([name]) => !/^(?:info|config|pubsub)/.test(name)));
}

/** Waiters of one process; each notes its number when it has the lock, and lets go at once. */
function waitInLine(service: LockService, leaseTime?: Duration): { order: number[]; done: Promise<unknown> } {
  const order: number[] = [];
  const waiting = Array.from({ length: WAITERS }, (_, index) =>
    service.getLock('x').using(() => order.push(index), { leaseTime }),
  );
  return { order, done: Promise.all(waiting) };
}

const IN_ORDER = Array.from({ length: WAITERS }, (_, index) => index);

test(
  'a thousand waiters of a process send nothing for ten seconds, on two connections, and then get the lock in order at a round trip each',
  async () => {
    const holder = await services.open();
    const waiting = await services.open({}, { port: redis.port, connectionName: 'waiting' });
    // A fixed lease: the holder's renewals would be counted with the waiters' commands.
    const held = await holder.getLock('x').lock({ leaseTime: '60s' });
    const line = waitInLine(waiting);
    await until('the first waiter listens', async () => (await services.channels()).length === 1);
    await until('it has asked again after subscribing', async () => ((await calls())['evalsha'] ?? 0) >= 3);

    await services.admin.config('RESETSTAT');
    await sleep(HELD);
    const whileWaiting = await calls();
    // The safety net: a question when the lease would be over (not within these ten seconds), and a heartbeat every 15 s.
    const { ping = 0, ...others } = whileWaiting;
    expect(others).toEqual({});
    expect(ping).toBeLessThanOrEqual(1);
    const clients = String(await services.admin.client('LIST'));
    expect(clients.match(/name=waiting:\w+/g)?.toSorted()).toEqual([
      'name=waiting:commands',
      'name=waiting:subscriber',
    ]);

    await services.admin.config('RESETSTAT');
    await held.unlock();
    await line.done;
    const { evalsha = 0, eval: unknown = 0 } = await calls();
    console.log(
      `${WAITERS} waiters: ${JSON.stringify(whileWaiting)} in ${HELD} ms, then ${evalsha} round trips`,
    );
    expect(line.order).toEqual(IN_ORDER);
    expect((evalsha + unknown) / WAITERS).toBeLessThanOrEqual(1.1);
    expect(await services.keys()).toEqual([]);
  },
  scaled(60_000),
);

test.each<[string, Duration]>([['explicit leases', '30s']])(
  'a thousand waiters with %s behind a hold of their own process get it in order, at a round trip each',
  async (_, leaseTime) => {
    // The bound in time is not what is counted here; on a slow machine it would let others ask more often.
    const service = await services.open({ handOver: { time: '10s' } });
    const held = await service.getLock('x').lock();
    await services.admin.config('RESETSTAT');
    const line = waitInLine(service, leaseTime);
    expect(await calls()).toEqual({});
    await held.unlock();
    await line.done;
    const { evalsha = 0, eval: unknown = 0 } = await calls();
    console.log(`${WAITERS} waiters with a lease each: ${evalsha} round trips`);
    expect(line.order).toEqual(IN_ORDER);
    expect((evalsha + unknown) / WAITERS).toBeLessThanOrEqual(1.1);
    expect(await services.keys()).toEqual([]);
  },
  scaled(30_000),
);
