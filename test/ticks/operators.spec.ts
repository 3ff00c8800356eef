import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { isRecorded, runsOf, settled, ticksAfter, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { NEVER } from './tick.schedule.js';
import { toldRuns } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('a command of an operator to one instance', { timeout: scaled(40_000) }, () => {
  test('pauses a job in the whole fleet, and lets it go on', async ({ fleet }) => {
    const [one, other, third] = await fleet.start({}, {}, {});
    await until('a run', () => toldRuns(fleet).length > 0);
    expect(await one?.ask({ do: 'pause' })).toBe(true);
    expect(await other?.ask({ do: 'pause' })).toBe(false);
    const paused = ticksAfter(await fleet.storeNow(), 3);
    await until(
      'they have their verdict',
      async () => ((await fleet.markOf('counted')) ?? 0) >= (paused[2] ?? 0),
    );
    expect(runsOf(fleet, 'counted', paused)).toEqual([]);
    expect(await third?.ask({ do: 'status' })).toMatchObject({ paused: expect.any(Number), mark: paused[2] });
    expect(await third?.ask({ do: 'resume' })).toBe(true);
    expect(await one?.ask({ do: 'resume' })).toBe(false);
    const ticks = ticksAfter(await fleet.storeNow(), 2);
    await settled(fleet, ticks);
    expect(runsOf(fleet, 'counted', ticks)).toEqual(ticks);
    const rows = (await fleet.runs('counted')).filter(({ outcome }) => outcome === 'paused');
    for (const tick of paused) expect(isRecorded(rows, tick)).toBe(true);
    expect(rows[0]?.reason).not.toBe('');
    expect(fleet.errors).toEqual([]);
  });

  test('runs a job once now, on one of those that have it, also while it is paused', async ({ fleet }) => {
    const [desk] = await fleet.start({ jobs: ['other'], cron: NEVER }, { cron: NEVER }, { cron: NEVER });
    expect(await desk?.ask({ do: 'run-now' })).toBe(true);
    await desk?.ask({ do: 'pause' });
    expect(await desk?.ask({ do: 'run-now' })).toBe(true);
    const isOver = async () => {
      const rows = await fleet.runs('counted');
      return rows.filter(({ outcome }) => outcome === 'completed').length === 2;
    };
    await until('both runs have ended', isOver);
    expect(toldRuns(fleet)).toHaveLength(2);
    expect(desk?.of('started')).toEqual([]);
    for (const row of await fleet.runs('counted')) {
      expect(row).toMatchObject({ outcome: 'completed', attempt: 1, requestedBy: expect.any(String) });
      expect(row.requestedBy).toContain(`:${desk?.pid}:`);
    }
    expect(fleet.errors).toEqual([]);
  });

  test('forgets a job that does not run, which goes on as after a lost record', async ({ fleet }) => {
    const [one] = await fleet.start({}, {}, {});
    await until('two runs', () => toldRuns(fleet).length >= 2);
    const [between = 0] = ticksAfter(await fleet.storeNow(), 1);
    await fleet.reach(between + 300);
    const [earliest = 0] = ticksAfter(await fleet.storeNow(), 1);
    expect(await one?.ask({ do: 'forget' })).toBe(true);
    const [latest = 0] = ticksAfter(await fleet.storeNow(), 1);
    const rows = async () => (await fleet.runs('counted')).toReversed();
    const isOver = async () => (await rows()).some(({ outcome }) => outcome === 'completed');
    await until('a run has been recorded again', isOver);
    const recorded = (await rows()).slice(0, 2);
    const [{ tick: lost = 0 } = {}] = recorded;
    const next = lost + 1000;
    expect(lost).toBeGreaterThanOrEqual(earliest);
    expect(lost).toBeLessThanOrEqual(latest);
    expect(recorded).toMatchObject([
      { tick: lost, outcome: 'missed' },
      { tick: next, outcome: 'completed' },
    ]);
    expect(runsOf(fleet, 'counted', [lost, next])).toEqual([next]);
    expect(fleet.errors).toEqual([]);
  });
});
