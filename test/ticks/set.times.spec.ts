import { Inject, type OnApplicationBootstrap } from '@nestjs/common';
import { Cron, SchedulerRegistry } from '@nestjs/schedule';
import { CronJob, CronTime } from 'cron';
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

/** The ways in which an application that runs gives its job another expression. */
const CHANGES: Readonly<Record<string, (registry: SchedulerRegistry, cron: string) => void>> = {
  'setTime()': (registry, cron) => registry.getCronJob('job').setTime(new CronTime(cron, 'UTC')),
  'another job under its name': (registry, cron) => {
    const former = registry.getCronJob('job');
    const onTick = () => former.fireOnTick();
    registry.deleteCronJob('job');
    const job = CronJob.from({ cronTime: cron, onTick, timeZone: 'UTC' });
    registry.addCronJob('job', job);
    job.start();
  },
};

describe.concurrent(
  'an expression that is changed while the application runs',
  { timeout: scaled(30_000) },
  () => {
    for (const [way, change] of Object.entries(CHANGES))
      test(`by ${way} is the one whose next tick the job has, without a warning`, async ({ stage }) => {
        class Job {
          @Cron('*/5 * * * * *', { name: 'job', timeZone: 'UTC' })
          @DistributedLock(stage.job)
          async run(): Promise<void> {
            stage.note();
          }
        }
        const [app] = await stage.start(1, [Job]);
        if (app === undefined) throw new Error('unreachable');
        const { jobs } = locksOf(app);
        await until('it is registered', async () => (await jobs.status(stage.job))?.next !== undefined);
        change(registryOf(app), NEVER);
        const newYear = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1);
        await until('it is due in January', async () => (await jobs.status(stage.job))?.next === newYear);
        expect((await jobs.status(stage.job))?.schedule).toContain(NEVER);
        expect(stage.warnings('schedule')).toEqual([]);
      });
  },
);

describe.concurrent('an expression that a deploy changes', { timeout: scaled(40_000) }, () => {
  test('runs no tick of the time before, and records none of it as missed', async ({ stage }) => {
    const first = secondAfter(Date.now(), scaled(1000));
    const cron = (...at: readonly number[]) =>
      `${cronOf(...at).split(' ')[0]} ${new Date(first).getUTCMinutes()},${new Date(first + 30_000).getUTCMinutes()} * * * *`;
    const jobOf = (expression: string) => {
      class Job {
        @Cron(expression, { timeZone: 'UTC' })
        @DistributedLock(stage.job, { catchUp: '1h' })
        async run(): Promise<void> {
          stage.note();
        }
      }
      return Job;
    };
    const [former] = await stage.start(1, [jobOf(cron(first))]);
    await until('it has run', () => stage.runs.length === 1);
    await former?.close();
    // Between the last tick of the former expression and the start of the next version.
    const between = first + 1000;
    await until('this instant has passed', () => Date.now() > between + 500);
    const next = secondAfter(Date.now(), scaled(2000));
    const [app] = await stage.start(1, [jobOf(cron(between, next))]);
    if (app === undefined) throw new Error('unreachable');
    await until('the next one has run', () => stage.runs.some(({ tick }) => tick === next));
    expect(stage.runs.map(({ tick }) => tick)).toEqual([first, next]);
    const records = await locksOf(app).getRuns(stage.job);
    expect(records.map(({ tick, outcome }) => [tick, outcome])).toEqual([
      [next, 'completed'],
      [first, 'completed'],
    ]);
    expect(stage.warnings('missed')).toEqual([]);
    // An instance that starts when the change has been noted catches up with no such tick either.
    await stage.start(1, [jobOf(cron(between, next))]);
    expect(stage.runs).toHaveLength(2);
  });
});

describe.concurrent('an expression that is set at each start', { timeout: scaled(60_000) }, () => {
  test('is caught up with after an outage of the fleet, and nothing is warned of', async ({ stage }) => {
    const set = { expression: '' };
    class Job implements OnApplicationBootstrap {
      constructor(private readonly registry: SchedulerRegistry) {}

      onApplicationBootstrap(): void {
        this.registry.getCronJob('job').setTime(new CronTime(set.expression, 'UTC'));
      }

      @Cron(NEVER, { name: 'job', timeZone: 'UTC' })
      @DistributedLock(stage.job, { catchUp: '1h' })
      async run(): Promise<void> {
        stage.note();
      }
    }
    Inject(SchedulerRegistry)(Job, undefined, 0);
    const first = secondAfter(Date.now(), scaled(3000));
    const missed = secondAfter(first, scaled(4000));
    set.expression = cronOf(first, missed);
    const [former] = await stage.start(1, [Job]);
    await until('it has run', () => stage.runs.length === 1, 20_000);
    await former?.close();
    expect(Date.now()).toBeLessThan(missed);
    await until('a tick is missed', () => Date.now() > missed + 1000, 20_000);
    await stage.start(1, [Job]);
    await until('it is caught up with', () => stage.runs.length === 2);
    expect(stage.runs.map(({ tick }) => tick)).toEqual([first, missed]);
    expect(stage.warnings('schedule')).toEqual([]);
  });
});

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
