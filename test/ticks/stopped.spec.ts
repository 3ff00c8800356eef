import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { awaitRun, errorsOfOthers } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

describe.concurrent('case 5: a run stopped over its lease', { timeout: scaled(40_000) }, () => {
  test('is aborted and refused its finish under skip, and a later tick has run meanwhile', async ({
    fleet,
  }) => {
    await fleet.start({ work: 'hang' }, { work: 'hang' });
    const { runner, tick } = await awaitRun(fleet, 'a run');
    runner.signal('SIGSTOP');
    try {
      const next = await awaitRun(fleet, 'a run of the other', (run) => run.runner !== runner);
      expect(next.tick).toBeGreaterThan(tick);
    } finally {
      runner.signal('SIGCONT');
    }
    expect(await runner.first('ended', () => true, 10_000)).toMatchObject({ tick, aborted: true });
    await runner.first('log', ({ level, text }) => level === 'warn' && text.includes('was lost by'));
    await runner.ask({ do: 'close' });
    const rows = (await fleet.runs('counted')).filter((row) => row.tick === tick);
    expect(rows).toMatchObject([{ outcome: 'crashed', attempt: 1 }]);
    expect(errorsOfOthers(fleet, runner)).toEqual([]);
  });

  test('is repeated by another instance under retry, and recorded once for each attempt', async ({
    fleet,
  }) => {
    await fleet.start({ work: 'hang', onCrash: 'retry' }, { work: 'hang', onCrash: 'retry' });
    const { runner, tick } = await awaitRun(fleet, 'a run');
    runner.signal('SIGSTOP');
    try {
      const again = await awaitRun(fleet, 'attempt 2', ({ attempt }) => attempt === 2);
      expect(again.tick).toBe(tick);
      expect(again.runner).not.toBe(runner);
    } finally {
      runner.signal('SIGCONT');
    }
    expect(await runner.first('ended', () => true, 10_000)).toMatchObject({
      tick,
      aborted: true,
      attempt: 1,
    });
    for (const worker of fleet.workers) await worker.ask({ do: 'release' });
    const rowsOf = async () => (await fleet.runs('counted')).filter((row) => row.tick === tick).toReversed();
    await until(
      'the second attempt has completed',
      async () => (await rowsOf()).at(-1)?.outcome === 'completed',
    );
    // A tick later nothing has come to it.
    await awaitRun(fleet, 'another tick', (run) => run.tick > tick + 1000);
    expect(await rowsOf()).toMatchObject([
      { outcome: 'crashed', attempt: 1 },
      { outcome: 'completed', attempt: 2 },
    ]);
    expect(fleet.started('counted').filter((run) => run.tick === tick)).toHaveLength(2);
    expect(errorsOfOthers(fleet, runner)).toEqual([]);
  });
});
