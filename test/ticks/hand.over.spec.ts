import { describe, expect, test as base } from 'vitest';
import type { TickRecord } from '../../libs/distributed-lock/src/contracts/tick.contract.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { NEVER } from './tick.schedule.js';
import type { TickFleet } from './tick.fleet.js';
import { awaitRun, errorsOfOthers, toldRuns, type ToldRun } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** So long that nobody comes to a tick because a lease has ended, in ms. */
const LEASE = 30_000;

/** Three instances, one of which works on the only tick until its application shuts down. */
async function runInThree(fleet: TickFleet, onCrash: 'skip' | 'retry'): Promise<ToldRun> {
  const instance = { cron: NEVER, work: 'hang', lockWatchdogTimeout: LEASE, onCrash } as const;
  await fleet.start(instance, instance, instance);
  await fleet.schedule(0);
  return await awaitRun(fleet, 'a run');
}

describe.concurrent('a run that a shutdown stops', { timeout: scaled(40_000) }, () => {
  const ways = [
    ['app.close()', (run: ToldRun) => run.runner.ask({ do: 'close' })],
    ['SIGTERM', (run: ToldRun) => run.runner.signal('SIGTERM')],
  ] as const;

  test.for(ways)('by %s is taken by another instance at once under retry', async ([, stop], { fleet }) => {
    const first = await runInThree(fleet, 'retry');
    void stop(first);
    const aborted = await first.runner.first('ended', () => true, 10_000);
    expect(aborted).toMatchObject({ tick: first.tick, aborted: true });
    const told = performance.now();
    const again = await awaitRun(fleet, 'attempt 2', ({ attempt }) => attempt === 2);
    expect(performance.now() - told).toBeLessThan(scaled(1000));
    expect(again.tick).toBe(first.tick);
    await again.runner.ask({ do: 'release' });
    const rows = async () => (await rowsOf(fleet, first.tick)).toReversed();
    await until('its end', async () => (await rows()).at(-1)?.outcome === 'completed');
    expect(await rows()).toMatchObject([
      { tick: first.tick, outcome: 'handed-over', attempt: 1 },
      { tick: first.tick, outcome: 'completed', attempt: 2 },
    ]);
    expect(toldRuns(fleet)).toHaveLength(2);
    expect(errorsOfOthers(fleet, first.runner)).toEqual([]);
  });

  test('is not run again under skip, and the record has the reason', async ({ fleet }) => {
    const first = await runInThree(fleet, 'skip');
    await first.runner.ask({ do: 'close' });
    await first.runner.exited;
    const rows = await rowsOf(fleet, first.tick);
    expect(rows).toMatchObject([{ tick: first.tick, outcome: 'failed', attempt: 1 }]);
    expect(rows[0]?.reason).toContain('shutting down');
    await fleet.reach((await fleet.storeNow()) + 1000);
    expect(toldRuns(fleet)).toHaveLength(1);
    expect(errorsOfOthers(fleet, first.runner)).toEqual([]);
  });
});

async function rowsOf(fleet: TickFleet, tick: number): Promise<TickRecord[]> {
  return (await fleet.runs('counted')).filter((row) => row.tick === tick);
}
