import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { awaitRun, errorsOfOthers } from './tick.runners.js';
import type { TickFleet, WorkerOptions } from './tick.fleet.js';
import type { TickWorker } from './tick.worker.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('timers', { timeout: scaled(30_000) }, () => {
  test('an interval runs once per period in the fleet', async ({ fleet }) => {
    const period = 600;
    await fleet.start(...Array.from({ length: 3 }, () => ({ jobs: ['interval'] as const, period })));
    await until('eight runs', () => fleet.started('interval').length >= 8, 10_000);
    const runs = (await fleet.runs('interval')).toReversed();
    // The newest may have begun just now.
    const rows = runs.filter(({ outcome }, index) => outcome !== 'running' || index < runs.length - 1);
    expect(rows.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'completed'));
    const starts = rows.map(({ start }) => start);
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(period * 0.9);
    // Whoever comes first after a period runs it: three instances leave no period out.
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeLessThan(period * 1.5 * (starts.length - 1));
    expect(fleet.errors).toEqual([]);
  });

  test('an interval that calls a guarded one calls it directly', async ({ fleet }) => {
    const worker = await fleet.startOne({ jobs: ['interval', 'caller'], period: 500 });
    await until('runs of both kinds', () => new Set(kinds()).size === 2, 10_000);
    expect(await worker.ask({ do: 'call', job: 'interval' })).toBe('direct');
    expect(fleet.errors).toEqual([]);

    function kinds(): string[] {
      return worker.of('started').map(({ tick }) => (tick === undefined ? 'direct' : 'tick'));
    }
  });

  test('a timeout runs on every instance, one after the other, with a warning', async ({ fleet }) => {
    await fleet.start(
      ...Array.from({ length: 3 }, () => ({ jobs: ['timeout'] as const, period: 300, work: 200 })),
    );
    for (const worker of fleet.workers) {
      await worker.first('ended', ({ tick }) => tick === undefined);
      expect(worker.lines('warn').filter((line) => line.includes('minInterval'))).toHaveLength(1);
    }
    expect(fleet.started('timeout')).toHaveLength(3);
    expect(fleet.errors).toEqual([]);
  });

  test('a timeout with minInterval runs once in the fleet within it', async ({ fleet }) => {
    const instance = { jobs: ['timeout'] as const, period: 300, minInterval: 60_000 };
    await fleet.start(instance, instance, instance);
    await until('all have asked', () =>
      fleet.workers.every((worker) => worker.of('ended').length + skips(worker) > 0),
    );
    expect(fleet.started('timeout')).toHaveLength(1);
    // A rolling deploy: later starts find it done.
    const later = await fleet.startOne(instance);
    await until('it has asked', () => skips(later) > 0);
    expect(fleet.started('timeout')).toHaveLength(1);
    expect(fleet.errors).toEqual([]);

    function skips(worker: typeof later): number {
      return worker.lines('debug').filter((line) => line.includes('does not run on this instance')).length;
    }
  });

  describe('a run that dies is repeated under retry by an instance whose own timer comes much later', () => {
    /** The lease of a run, in ms. */
    const LEASE = 2000;
    const hanging = { work: 'hang', onCrash: 'retry' } as const;

    test('of an interval', async ({ fleet }) => {
      const interval = { ...hanging, jobs: ['interval'], period: 6000 } as const;
      const runner = await fleet.startOne(interval);
      await fleet.reach((await fleet.storeNow()) + 4500);
      await expectRepeated(fleet, runner, interval);
    });

    test('of a timeout that has run here before', async ({ fleet }) => {
      await expectRepeatedAfterOwn('timeout', fleet, 100);
    });

    test('of a date that has run here before', async ({ fleet }) => {
      await expectRepeatedAfterOwn('dated', fleet, 3000);
    });

    async function expectRepeatedAfterOwn(
      job: 'timeout' | 'dated',
      fleet: TickFleet,
      period: number,
    ): Promise<void> {
      const once = { ...hanging, jobs: [job], period, minInterval: 500 };
      const before = await fleet.startOne({ ...once, work: 5 });
      await before.first('ended', () => true);
      await fleet.reach((await fleet.storeNow()) + 600);
      await expectRepeated(fleet, await fleet.startOne(once));
    }

    async function expectRepeated(
      fleet: TickFleet,
      runner: TickWorker,
      survivor?: WorkerOptions,
    ): Promise<void> {
      if (survivor !== undefined) await fleet.startOne(survivor);
      await awaitRun(fleet, 'a run', (run) => run.runner === runner);
      const killed = await fleet.storeNow();
      await runner.kill();
      const { runner: other } = await awaitRun(fleet, 'attempt 2', ({ attempt }) => attempt === 2);
      expect(other).not.toBe(runner);
      const [{ job = '' } = {}] = other.of('started');
      const row = (await fleet.runs(job)).find(({ attempt }) => attempt === 2);
      expect((row?.start ?? Infinity) - killed).toBeLessThanOrEqual(LEASE + 1000);
      expect(errorsOfOthers(fleet, runner)).toEqual([]);
    }
  });
});
