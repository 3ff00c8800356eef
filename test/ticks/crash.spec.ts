import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { isRecorded, tickFixtures, type TickFixtures } from './tick.fixtures.js';
import { NEVER } from './tick.schedule.js';
import { awaitRun, errorsOfOthers, toldRuns } from './tick.runners.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** The lease of a run, in ms: two ticks long. */
const LEASE = 2000;

const hanging = { work: 'hang' } as const;
const retried = { work: 'hang', onCrash: 'retry' } as const;

describe.concurrent('case 4: a run that dies by SIGKILL', { timeout: scaled(40_000) }, () => {
  test('is not repeated under skip, and the first tick after its lease is run', async ({ fleet }) => {
    await fleet.start(hanging, hanging, hanging);
    const { runner, tick } = await awaitRun(fleet, 'a run');
    const killed = await fleet.storeNow();
    await runner.kill();
    const { tick: next } = await awaitRun(fleet, 'a run of a survivor', (run) => run.runner !== runner);
    // Renewed at most a third of it before the kill.
    expect(next - killed).toBeLessThanOrEqual(LEASE + 1000);
    expect(next).toBeGreaterThan(tick);
    expect(fleet.started('counted').filter((run) => run.tick === tick)).toHaveLength(1);
    const rows = await fleet.runs('counted');
    expect(rows.find((row) => row.tick === tick)).toMatchObject({ outcome: 'crashed', attempt: 1 });
    const overlapped = rows.filter(({ outcome, attempt }) => outcome === 'overlapped' && attempt === 0);
    for (let between = tick + 1000; between < next; between += 1000)
      expect(isRecorded(overlapped, between)).toBe(true);
    expect(isRecorded(rows, next)).toBe(true);
    expect(errorsOfOthers(fleet, runner)).toEqual([]);
  });

  test('is repeated by a survivor under retry within its lease and a second, and again when that dies too', async ({
    fleet,
  }) => {
    await fleet.start(retried, retried, retried);
    const first = await awaitRun(fleet, 'a run');
    const dead = [first.runner];
    for (const attempt of [2, 3]) {
      const killed = await fleet.storeNow();
      await dead.at(-1)?.kill();
      const again = await awaitRun(fleet, `attempt ${attempt}`, (run) => run.attempt === attempt);
      const rows = await fleet.runs('counted');
      const row = rows.find((one) => one.attempt === attempt);
      expect(again.tick).toBe(first.tick);
      expect(row).toMatchObject({ tick: first.tick, outcome: 'running' });
      expect((row?.start ?? Infinity) - killed).toBeLessThanOrEqual(LEASE + 1000);
      dead.push(again.runner);
    }
    const last = dead.pop();
    await last?.ask({ do: 'release' });
    const { tick: next } = await awaitRun(fleet, 'the next tick', ({ tick }) => tick > first.tick);
    const rows = (await fleet.runs('counted')).toReversed();
    expect(rows.filter(({ tick }) => tick === first.tick)).toMatchObject([
      { outcome: 'crashed', attempt: 1 },
      { outcome: 'crashed', attempt: 2 },
      { outcome: 'completed', attempt: 3 },
    ]);
    for (let between = first.tick + 1000; between < next; between += 1000)
      expect(isRecorded(rows, between)).toBe(true);
    expect(errorsOfOthers(fleet, ...dead)).toEqual([]);
  });

  test.for([
    ['three times by default', undefined, 3],
    ['as often as maxAttempts says', 2, 2],
  ] as const)(
    'is abandoned under retry when its tick has crashed %s, and the schedule goes on',
    async ([, maxAttempts, most], { fleet }) => {
      const poisoned = { ...retried, maxAttempts };
      await fleet.start(...Array.from({ length: most + 1 }, () => poisoned));
      const first = await awaitRun(fleet, 'a run');
      const dead = [first.runner];
      await first.runner.kill();
      for (let attempt = 2; attempt <= most; attempt += 1) {
        const { runner, tick } = await awaitRun(
          fleet,
          `attempt ${attempt}`,
          (run) => run.attempt === attempt,
        );
        expect(tick).toBe(first.tick);
        await runner.kill();
        dead.push(runner);
      }
      const next = await awaitRun(fleet, 'a later tick', ({ tick }) => tick > first.tick);
      expect(next.attempt).toBe(1);
      const rows = (await fleet.runs('counted')).toReversed().filter(({ tick }) => tick === first.tick);
      expect(rows.map(({ outcome, attempt }) => [outcome, attempt])).toEqual(
        dead.map((_, index) => [index === most - 1 ? 'abandoned' : 'crashed', index + 1]),
      );
      expect(rows.at(-1)?.reason).toBe(
        `${most} runs of the tick have crashed, and maxAttempts allows no more`,
      );
      expect(await next.runner.ask({ do: 'status' })).toMatchObject({
        counts: { crashed: most - 1, abandoned: 1 },
      });
      expect(errorsOfOthers(fleet, ...dead)).toEqual([expect.stringContaining('is abandoned: ')]);
    },
  );

  test('is repeated under retry also where no other tick is near', async ({ fleet }) => {
    const rare = { ...retried, cron: NEVER };
    await fleet.start(rare, rare, rare);
    const [tick = 0] = await fleet.schedule(0);
    const { runner } = await awaitRun(fleet, 'a run');
    const killed = await fleet.storeNow();
    await runner.kill();
    const again = await awaitRun(fleet, 'attempt 2', (run) => run.attempt === 2);
    const row = (await fleet.runs('counted')).find(({ attempt }) => attempt === 2);
    expect(row).toMatchObject({ tick, outcome: 'running' });
    expect((row?.start ?? Infinity) - killed).toBeLessThanOrEqual(LEASE + 1000);
    await again.runner.ask({ do: 'release' });
    await again.runner.first('ended', ({ attempt }) => attempt === 2);
    expect(
      toldRuns(fleet)
        .map(({ attempt }) => attempt)
        .toSorted(),
    ).toEqual([1, 2]);
    expect(errorsOfOthers(fleet, runner)).toEqual([]);
  });
});
