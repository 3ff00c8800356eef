import { describe, expect, test as base } from 'vitest';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { scaled } from '../support/slowness.js';
import { TcpProxy } from '../support/faults/tcp.proxy.js';
import { until } from '../support/until.js';
import type { JobKind } from '../workers/worker.protocol.js';
import { TickFleet, type WorkerOptions } from './tick.fleet.js';
import { isRecorded, runsOf, settled, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { cronOf, NEVER, secondAfter } from './tick.schedule.js';

const UNCLAIMED = 'could not be claimed';

const test = base.extend<TickFixtures>(tickFixtures);

/** Time for instances to start, in ms: more where they were not ready in time. */
const STARTS = [2000, 12_000];

interface Downtime {
  /** Ticks over which the whole fleet was down. */
  readonly older: number;
  readonly newer: number;
  /** The first one after its return. */
  readonly next: number;
}

/** Jobs whose whole fleet is down over two ticks, and back before the third one. */
async function backAfterDowntime(fleet: TickFleet, options: WorkerOptions): Promise<Downtime> {
  for (const start of STARTS) {
    await fleet.admin.flushall();
    const [startFirst, startLater] = await Promise.all([fleet.prepare(1), fleet.prepare(2)]);
    const older = secondAfter(await fleet.storeNow(), start);
    const newer = older + 1000;
    const next = secondAfter(newer, 1200 + start);
    const instance = { ...options, cron: cronOf(older, newer, next) };
    // It makes the jobs known, and is gone.
    await startFirst(instance);
    for (const job of options.jobs ?? ['counted'])
      await until(`job "${job}" is known`, async () => (await fleet.markOf(job)) !== undefined);
    await fleet.workers.at(-3)?.kill();
    if ((await fleet.storeNow()) < older) {
      await fleet.reach(newer + 1200);
      await startLater(instance);
      if ((await fleet.storeNow()) < next) {
        await settled(fleet, [next], options.jobs ?? ['counted']);
        return { older, newer, next };
      }
    }
    await Promise.all(fleet.workers.map((worker) => worker.kill()));
  }
  throw new Error('the instances were never ready in time');
}

describe.concurrent('case 9: ticks over which the whole fleet was down', { timeout: scaled(90_000) }, () => {
  test('are missed without catchUp', async ({ fleet }) => {
    const { older, newer, next } = await backAfterDowntime(fleet, { grace: 1 });
    expect(runsOf(fleet, 'counted', [older, newer, next])).toEqual([next]);
    await expectMissed(fleet, [older, newer]);
  });

  test('are caught up on with catchUp: the latest one once, the others are missed', async ({ fleet }) => {
    const { older, newer, next } = await backAfterDowntime(fleet, { catchUp: 60_000 });
    expect(runsOf(fleet, 'counted', [older, newer, next])).toEqual([newer, next]);
    const rows = await fleet.runs('counted');
    const late = rows.find(({ tick, attempt }) => tick === newer && attempt > 0);
    expect(late).toMatchObject({ outcome: 'completed', attempt: 1 });
    expect(late?.start).toBeLessThan(next);
    await expectMissed(fleet, [older]);
  });

  test('are missed of each job that has the schedule of another', async ({ fleet }) => {
    const { older, newer } = await backAfterDowntime(fleet, { jobs: ['counted', 'retried'], grace: 1 });
    await expectMissed(fleet, [older, newer]);
    await expectMissed(fleet, [older, newer], 'retried');
  });

  test('are missed when they are older than catchUp', async ({ fleet }) => {
    const { older, newer, next } = await backAfterDowntime(fleet, { catchUp: 100, grace: 1 });
    expect(runsOf(fleet, 'counted', [older, newer, next])).toEqual([next]);
    await expectMissed(fleet, [older, newer]);
  });

  test('are caught up on also where it was Redis that could not be reached', async () => {
    const redis = await startRedis();
    const gate = await TcpProxy.open(redis.port);
    const fleet = new TickFleet(gate.url, redis.url);
    try {
      const instance = { cron: NEVER, catchUp: 60_000 };
      await fleet.start(instance, instance);
      const [before = 0, lost = 0] = await fleet.schedule(0, 2000);
      await fleet.reach(lost - 700);
      gate.refuse();
      for (const worker of fleet.workers)
        await worker.first('log', ({ text }) => text.includes(UNCLAIMED), 9000);
      gate.restore();
      await until('the run', () => runsOf(fleet, 'counted', [lost]).length > 0, 5000);
      expect(runsOf(fleet, 'counted', [before, lost])).toEqual([before, lost]);
      expect(fleet.errors.filter((line) => !line.includes(UNCLAIMED))).toEqual([]);
    } finally {
      await fleet.end();
      await gate.close();
      await redis.stop();
    }
  });
});

async function expectMissed(
  fleet: TickFleet,
  ticks: readonly number[],
  job: JobKind = 'counted',
): Promise<void> {
  const missed = (await fleet.runs(job)).filter(({ outcome }) => outcome === 'missed');
  for (const tick of ticks) expect(isRecorded(missed, tick)).toBe(true);
  for (const { reason } of missed) expect(reason).not.toBe('');
  expect(fleet.errors).toEqual([]);
}
