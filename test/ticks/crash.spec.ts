import { describe, expect, test as base } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import type { TickFleet } from './tick.fleet.js';
import type { TickWorker } from './tick.worker.js';
import { isRecorded, tickFixtures, type TickFixtures } from './tick.fixtures.js';

const test = base.extend<TickFixtures>(tickFixtures);

/** The lease of a run, in ms. */
const LEASE = 2000;

/** Waits until one of the instances works on a tick, which it does until it is told to end. */
async function firstRunner(fleet: TickFleet): Promise<{ runner: TickWorker; tick: number }> {
  const find = () => fleet.workers.find((worker) => worker.of('started').length > 0);
  await until('a run', () => find() !== undefined, 10_000);
  const runner = find();
  const tick = runner?.of('started')[0]?.tick;
  if (runner === undefined || tick === undefined) throw new Error('no run of a tick');
  return { runner, tick };
}

/** Waits for the first run of another instance. */
async function firstRunAfter(fleet: TickFleet, runner: TickWorker): Promise<number> {
  const survivors = fleet.workers.filter((worker) => worker !== runner);
  await until(
    'a run of a survivor',
    () => survivors.some((worker) => worker.of('started').length > 0),
    10_000,
  );
  return Math.min(...survivors.flatMap((worker) => worker.of('started').map(({ tick }) => tick ?? Infinity)));
}

describe.concurrent('a run that dies', { timeout: scaled(40_000) }, () => {
  test('is not repeated after SIGKILL, and the first tick after its lease is run', async ({ fleet }) => {
    await fleet.start({ work: 'hang' }, { work: 'hang' }, { work: 'hang' });
    const { runner, tick } = await firstRunner(fleet);
    const killed = await fleet.storeNow();
    await runner.kill();
    const next = await firstRunAfter(fleet, runner);
    // Renewed at most a third of it before the kill.
    expect(next - killed).toBeLessThanOrEqual(LEASE + 1000);
    expect(next).toBeGreaterThan(tick);
    expect(fleet.started('counted').filter((run) => run.tick === tick)).toHaveLength(1);
    const rows = await fleet.runs('counted');
    expect(rows.find((row) => row.tick === tick)).toMatchObject({ outcome: 'crashed', attempt: 1 });
    for (let between = tick + 1000; between < next; between += 1000) {
      expect(rows.find((row) => row.tick === between)).toMatchObject({ outcome: 'overlapped', attempt: 0 });
    }
    expect(isRecorded(rows, next)).toBe(true);
    expect(fleet.workers.flatMap((worker) => (worker === runner ? [] : worker.errors))).toEqual([]);
  });

  test('a run stopped over its lease is refused its finish', async ({ fleet }) => {
    await fleet.start({ work: 'hang' }, { work: 'hang' });
    const { runner, tick } = await firstRunner(fleet);
    runner.signal('SIGSTOP');
    try {
      const next = await firstRunAfter(fleet, runner);
      expect(next).toBeGreaterThan(tick);
    } finally {
      runner.signal('SIGCONT');
    }
    const ended = await runner.first('ended', () => true, 10_000);
    expect(ended).toMatchObject({ tick, aborted: true });
    await runner.first('log', ({ level, text }) => level === 'warn' && text.includes('was lost by'));
    await runner.ask({ do: 'close' });
    const rows = (await fleet.runs('counted')).filter((row) => row.tick === tick);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ outcome: 'crashed', attempt: 1 });
  });
});
