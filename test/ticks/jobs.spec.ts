import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { isRecorded, runsOf, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('jobs', { timeout: scaled(30_000) }, () => {
  test('a failed run is recorded, and its error is one line of the scheduler where it ran', async ({
    fleet,
  }) => {
    await fleet.start({ jobs: ['failing'] }, { jobs: ['failing'] });
    await until('three runs', () => fleet.started('failing').length >= 3, 10_000);
    const failed = (await fleet.runs('failing')).filter(({ outcome }) => outcome === 'failed');
    expect(failed.length).toBeGreaterThanOrEqual(2);
    expect(new Set(failed.map(({ reason }) => reason))).toEqual(new Set(['the job has failed']));
    for (const worker of fleet.workers) {
      const runs = worker.of('ended').length;
      await until('a line for each run', () => worker.errors.length >= runs);
      expect(worker.errors.every((line) => line.startsWith('Scheduler: Error: the job has failed'))).toBe(
        true,
      );
    }
  });

  test('a run longer than its maxHold is aborted with an error in the log, and the schedule goes on', async ({
    fleet,
  }) => {
    const worker = await fleet.startOne({ work: 'hang', maxHold: 700 });
    const { tick = 0 } = await worker.first('started', () => true);
    expect(await worker.first('ended', () => true)).toMatchObject({ tick, aborted: true });
    await worker.first('started', (started) => (started.tick ?? 0) > tick, 10_000);
    expect(worker.errors.every((line) => line.includes('held for longer than maxHold'))).toBe(true);
    expect(worker.errors.length).toBeGreaterThanOrEqual(1);
  });

  test('methods with one expression in three zones keep to their own jobs', async ({ fleet }) => {
    const jobs = ['counted', 'other', 'failing'] as const;
    const worker = await fleet.startOne({ jobs });
    const ticks = ticksAfter(await fleet.storeNow(), 2);
    await until('the last tick', () =>
      jobs.every((job) => runsOf(fleet, job, ticks).includes(ticks[1] ?? 0)),
    );
    for (const job of jobs) expect(runsOf(fleet, job, ticks)).toEqual(ticks);
    expect(worker.errors.filter((line) => !line.includes('the job has failed'))).toEqual([]);
  });

  test('two applications, or two schedules, on one job are named in the log', async ({ fleet }) => {
    await fleet.startOne();
    await fleet.startOne({ cron: '*/2 * * * * *' });
    await fleet.startOne({ cron: '*/2 * * * * *', appName: 'another app' });
    await until('both are warned', () =>
      fleet.workers.slice(1).every((worker) => warnings(worker).length > 0),
    );
    expect(fleet.workers.map((worker) => warnings(worker).length)).toEqual([0, 1, 1]);
    expect(warnings(fleet.workers[1])[0]).toContain('with schedule "* * * * * *');
    expect(warnings(fleet.workers[2])[0]).toContain('with app "ticks", and now with "another app"');

    function warnings(worker: (typeof fleet.workers)[number] | undefined): string[] {
      return worker?.lines('warn').filter((line) => line.includes('was registered before')) ?? [];
    }
  });

  test('ticks before the first registration of a job are never run', async ({ fleet }) => {
    const worker = await fleet.startOne();
    const { tick = 0 } = await worker.first('started', () => true);
    const rows = await fleet.runs('counted');
    expect(rows.filter((row) => row.tick < tick)).toEqual([]);
    expect(isRecorded(rows, tick)).toBe(true);
  });

  test('no tick is begun, and nothing is waited for, once the application shuts down', async ({ fleet }) => {
    const worker = await fleet.startOne({ shift: 3600_000 });
    await worker.first('ended', () => true);
    await worker.ask({ do: 'close' });
    const ended = worker.of('started').length;
    await worker.exited;
    const [next = 0] = ticksAfter(await fleet.storeNow(), 1);
    await fleet.reach(next + 100);
    expect(worker.of('started')).toHaveLength(ended);
    expect(fleet.errors).toEqual([]);
  });
});
