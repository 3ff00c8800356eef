import { Cron } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { DistributedLock, type TickOptions } from 'nestjs-distributed-lock';
import { afterAll, beforeAll, describe, expect, test as base } from 'vitest';
import { ownRedis } from '../locks/own.redis.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { cronOf, secondAfter } from './tick.schedule.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** How long an instance waits for an answer, and asks for a tick, in ms. */
const PATIENCE = 5000;
/** Longer than that, and shorter than a connection may be silent, in ms. */
const STALL = 6500;

const server = ownRedis();
let admin: Redis;
beforeAll(() => {
  admin = new Redis(server().url);
});
afterAll(() => {
  admin.disconnect();
});

/** Two instances with one tick, and a Redis that stands still from just before it until nobody waits for the claims any more. */
async function stallAtTick(
  stage: FireStage,
  policies: Pick<TickOptions, 'overlap' | 'onCrash'>,
  isHeld: boolean,
): Promise<number> {
  const options = { redis: server().url, watchdog: 60_000, commandTimeout: PATIENCE };
  const [other] = await stage.start(1, [], options);
  if (other === undefined) throw new Error('unreachable');
  const handle = isHeld ? await locksOf(other).getLock(stage.job).lock() : undefined;
  const tick = secondAfter(Date.now(), scaled(1500));
  class Job {
    @Cron(cronOf(tick), { timeZone: 'UTC' })
    @DistributedLock(stage.job, policies)
    async run(): Promise<void> {
      stage.note();
    }
  }
  await stage.start(2, [Job], options);
  await until('the tick is near', () => Date.now() >= tick - 100);
  await admin.call('CLIENT', 'PAUSE', STALL, 'ALL');
  await admin.ping();
  expect(Date.now() - tick).toBeGreaterThan(PATIENCE);
  await handle?.unlock();
  return tick;
}

describe('a tick whose claims are answered after their callers gave up', { timeout: scaled(40_000) }, () => {
  test('runs once the lock is free, where they have queued it', async ({ stage }) => {
    const tick = await stallAtTick(stage, { overlap: 'queue' }, true);
    await until('a run', () => stage.runs.length > 0, 10_000);
    expect(stage.runs.map((run) => run.tick)).toEqual([tick]);
  });

  test('runs, where it was granted, under retry', async ({ stage }) => {
    const tick = await stallAtTick(stage, { onCrash: 'retry' }, false);
    await until('a run', () => stage.runs.length > 0, 10_000);
    expect(stage.runs.map((run) => run.tick)).toEqual([tick]);
  });

  test('is recorded as missed, where it was granted, under skip: it is older than the grace', async ({
    stage,
  }) => {
    const tick = await stallAtTick(stage, {}, false);
    const [asker] = await stage.start(1, [], { redis: server().url });
    if (asker === undefined) throw new Error('unreachable');
    const rows = () => locksOf(asker).getRuns(stage.job);
    await until('its row', async () => (await rows()).length > 0, 10_000);
    expect(await rows()).toMatchObject([{ tick, outcome: 'missed' }]);
    expect(stage.runs).toEqual([]);
  });
});
