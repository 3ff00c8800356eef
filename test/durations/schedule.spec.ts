import { setTimeout as sleep } from 'node:timers/promises';
import { Cron, Timeout } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { fireFixtures, locksOf, type FireFixtures } from '../ticks/fire.stage.js';

const test = base.extend<FireFixtures>(fireFixtures);

test('the maxHold of a scheduled method lasts from the begin of its run until its signal aborts', async ({
  stage,
}) => {
  const maxHold = 500;
  const spans: number[] = [];
  class Job {
    @Cron('* * * * * *')
    @DistributedLock(stage.job, { maxHold })
    async run(): Promise<void> {
      const begun = performance.now();
      const signal = currentLock()?.signal;
      await until('the signal is aborted', () => signal?.aborted === true);
      spans.push(performance.now() - begun);
    }
  }
  await stage.start(1, [Job]);
  await until('a run has ended', () => spans.length > 0, 10_000);
  // It counts from the grant, which the work hears of a moment later.
  expect(spans[0]).toBeGreaterThan(maxHold - scaled(100));
  expect(spans[0]).toBeLessThan(maxHold + scaled(400));
});

test('minInterval lasts from the run of one start until the run of another start', async ({ stage }) => {
  const minInterval = 2000;
  class Job {
    @Timeout(50)
    @DistributedLock(stage.job, { minInterval })
    async run(): Promise<void> {
      stage.note();
    }
  }
  await stage.start(1, [Job]);
  await until('it has run', () => stage.runs.length === 1);
  // An instance starts now and then, as in a rolling deployment.
  while (stage.runs.length < 2) {
    await stage.start(1, [Job]);
    await sleep(200);
  }
  const [first, second] = stage.runs.map(({ at }) => at);
  const apart = Number(second) - Number(first);
  expect(apart).toBeGreaterThan(minInterval - 50);
  expect(apart).toBeLessThan(minInterval + scaled(1500));
});

test('the timeout of runNow() lasts from its call, where no instance has the job', async ({ stage }) => {
  const timeout = 500;
  const [app] = await stage.start(1, []);
  if (app === undefined) throw new Error('unreachable');
  const locks = locksOf(app);
  await locks.runOnce(stage.job, Date.now(), () => undefined);
  const start = performance.now();
  expect(await locks.jobs.runNow(stage.job, { timeout })).toBe(false);
  expect(performance.now() - start).toBeGreaterThan(timeout - 5);
  expect(performance.now() - start).toBeLessThan(timeout + scaled(400));
});
