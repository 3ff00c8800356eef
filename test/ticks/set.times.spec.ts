import { Cron } from '@nestjs/schedule';
import { CronTime } from 'cron';
import { DistributedLock } from 'nestjs-distributed-lock';
import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, registryOf, type FireFixtures, type FireStage } from './fire.stage.js';
import { cronOf, NEVER, secondAfter } from './tick.schedule.js';

const test = base.extend<FireFixtures>(fireFixtures);

/** Changes the schedule of a job in place, lets its tick be queued behind a lock, and then run. */
async function queueAndRun(stage: FireStage, before: Date | string, after: (tick: number) => Date | string) {
  class Job {
    @Cron(before, { name: 'job', timeZone: 'UTC' })
    @DistributedLock(stage.job, { minInterval: '1h', overlap: 'queue' })
    async run(): Promise<void> {
      stage.note();
    }
  }
  const [app] = await stage.start(1, [Job]);
  if (app === undefined) throw new Error('unreachable');
  const locks = locksOf(app);
  await until('it is registered', async () => (await locks.jobs.status(stage.job)) !== undefined);
  const handle = await locks.getLock(stage.job).lock();
  const tick = secondAfter(Date.now(), scaled(500));
  registryOf(app)
    .getCronJob('job')
    .setTime(new CronTime(after(tick), 'UTC'));
  await until('it is queued', async () => (await locks.jobs.status(stage.job))?.queued !== undefined);
  const queuedAt = (await locks.jobs.status(stage.job))?.mark;
  await until('time passes', () => Date.now() > (queuedAt ?? 0) + 50);
  await handle.unlock();
  await until('it has run', async () => (await locks.getRuns(stage.job))[0]?.outcome === 'completed');
  const [run] = await locks.getRuns(stage.job);
  return { tick, run, mark: (await locks.jobs.status(stage.job))?.mark };
}

describe.concurrent('a schedule that setTime changes in place', { timeout: scaled(20_000) }, () => {
  test('to a Date counts minInterval from the start of a queued run', async ({ stage }) => {
    const { run, mark } = await queueAndRun(stage, NEVER, (tick) => new Date(tick));
    expect(mark).toBe(run?.start);
  });

  test('to an expression leaves its mark at the tick that was queued', async ({ stage }) => {
    const { tick, mark } = await queueAndRun(stage, new Date(Date.now() + 3_600_000), cronOf);
    expect(mark).toBe(tick);
  });
});
