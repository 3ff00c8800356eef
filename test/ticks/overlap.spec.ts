import { describe, expect, test as base } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { isRecorded, runsOf, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { NEVER } from './tick.schedule.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** Longer than the period, in ms. */
const WORK = 1300;

describe.concurrent('case 6: a tick that finds the lock held', { timeout: scaled(40_000) }, () => {
  test('by a run longer than the period is left out under skip, and never two run at a time', async ({
    fleet,
  }) => {
    await fleet.start({ work: WORK }, { work: WORK });
    await until('three runs', () => fleet.started('counted').length >= 3, 12_000);
    const rows = (await fleet.runs('counted')).toReversed();
    const runs = rows.filter(({ attempt }) => attempt === 1);
    const overlapped = rows.filter(({ outcome }) => outcome === 'overlapped');
    expect(overlapped.length).toBeGreaterThanOrEqual(runs.length - 1);
    expect(overlapped[0]?.reason).toBe('the last run still has the lock');
    expect(Math.min(...pauses(runs))).toBeGreaterThanOrEqual(0);
    expect(fleet.errors).toEqual([]);
  });

  test('by a run longer than the period runs right after it under queue, and never two run at a time', async ({
    fleet,
  }) => {
    const queued = { work: WORK, overlap: 'queue' } as const;
    await fleet.start(queued, queued, queued);
    await until('five runs', () => fleet.started('counted').length >= 5, 15_000);
    const rows = (await fleet.runs('counted')).toReversed();
    const runs = rows.filter(({ attempt }) => attempt > 0);
    expect(new Set(runs.map(({ tick }) => tick)).size).toBe(runs.length);
    expect(new Set(runs.map(({ attempt }) => attempt))).toEqual(new Set([1]));
    // One after the other without a gap: the newest tick waits already when a run ends.
    expect(Math.min(...pauses(runs))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...pauses(runs))).toBeLessThan(700);
    const [first, last] = [runs[0]?.tick ?? 0, runs.at(-1)?.tick ?? 0];
    for (let tick = first; tick <= last; tick += 1000) expect(isRecorded(rows, tick)).toBe(true);
    expect(fleet.errors).toEqual([]);
  });

  test('by a direct call is counted as overlapped under skip', async ({ fleet }) => {
    const worker = await fleet.startOne();
    await worker.first('ended', () => true);
    const [, covered = 0, next = 0] = ticksAfter(await fleet.storeNow(), 3);
    await fleet.reach(covered - 900);
    await worker.ask({ do: 'hold', ms: 1300 });
    await worker.first('started', ({ tick }) => tick === next);
    expect(runsOf(fleet, 'counted', [covered])).toEqual([]);
    const row = (await fleet.runs('counted')).find(({ tick }) => tick === covered);
    expect(row).toMatchObject({ outcome: 'overlapped', attempt: 0 });
    expect(fleet.errors).toEqual([]);
  });

  test('by a direct call runs once when that is over under queue, and of two the newer one', async ({
    fleet,
  }) => {
    const rare = { cron: NEVER, overlap: 'queue' } as const;
    const [one] = await fleet.start(rare, rare, rare);
    const [older = 0, newer = 0] = await fleet.schedule(0, 1000);
    await one?.ask({ do: 'hold', ms: newer + 700 - (await fleet.storeNow()) });
    const released = await fleet.storeNow();
    await until('a run', () => fleet.started('counted').length > 0);
    await until('its end', async () => (await fleet.runs('counted'))[0]?.outcome === 'completed');
    expect(runsOf(fleet, 'counted', [older, newer])).toEqual([newer]);
    const rows = await fleet.runs('counted');
    expect(rows.find(({ tick }) => tick === older)).toMatchObject({ outcome: 'overlapped', attempt: 0 });
    const row = rows.find(({ tick }) => tick === newer);
    expect(row).toMatchObject({ outcome: 'completed', attempt: 1 });
    expect((row?.start ?? Infinity) - released).toBeLessThan(scaled(500));
    expect(fleet.errors).toEqual([]);
  });
});

/** The time between the end of each run and the start of the next, in ms. */
function pauses(runs: readonly TickRecord[]): number[] {
  return runs.slice(1).map(({ start }, index) => start - (runs[index]?.end ?? Infinity));
}
