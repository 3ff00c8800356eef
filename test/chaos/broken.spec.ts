import { afterAll, beforeAll, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { BrokenBuild } from './broken/broken.build.js';
import { BROKEN_LOCKS, type BrokenLock } from './broken/broken.locks.js';
import { LATE_REPLIES } from './broken/late.replies.js';
import { runChaos } from './chaos.run.js';
import type { LockSort } from './chaos.types.js';
import { BreakableGround, type GroundFault } from './faults/breakable.ground.js';
import { FAULTS } from './faults/fault.table.js';
import { describeReport, type ChaosReport } from './report.js';

const WORKERS = 3;
const SECONDS = 6;
/** CHAOS_SEED tries another one. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 4);
/** So long may it take to find a defect, in ms. */
const SOON = 60_000;
/** Those that share the scripts that are broken. */
const SORTS: readonly LockSort[] = ['reentrant', 'nonReentrant', 'spin', 'fenced'];

let ground: BreakableGround;

beforeAll(async () => {
  ground = await BreakableGround.open('standalone', WORKERS);
}, scaled(30_000));
afterAll(() => ground.close());

type Trial = Pick<BrokenLock, 'faults' | 'lossy'>;

async function run({ faults, lossy }: Trial, seed: number, build?: BrokenBuild): Promise<ChaosReport> {
  const known: readonly GroundFault[] = [...FAULTS, LATE_REPLIES];
  return await runChaos({
    ground,
    faults: known.filter(({ name }) => faults.includes(name)),
    pause: 300,
    seconds: SECONDS,
    seed,
    workers: WORKERS,
    callers: 8,
    mode: lossy ? 'lossy' : 'strict',
    sorts: SORTS,
    leases: [1000],
    build: build?.workers,
  });
}

test.each(BROKEN_LOCKS)(
  '$name is found out within a minute',
  async (broken) => {
    const build = await BrokenBuild.make(broken.defects);
    const end = performance.now() + scaled(SOON);
    try {
      const reports: ChaosReport[] = [];
      const found = () => reports.flatMap(({ violations }) => violations.map(({ invariant }) => invariant));
      // Rarely the first seed does not let it happen.
      for (let seed = SEED; found().length === 0 && performance.now() < end; seed += 1)
        reports.push(await run(broken, seed, build));
      const told = reports.map(describeReport).join('\n');
      expect(broken.violates, told).toEqual(expect.arrayContaining([...new Set(found())]));
      expect(found().length, told).toBeGreaterThan(0);
    } finally {
      await build.remove();
    }
  },
  scaled(SOON + 60_000),
);

test.each([true, false])(
  'a sound library is not suspected under the same faults (loss of data: %s)',
  async (lossy) => {
    const trials = BROKEN_LOCKS.filter((broken) => broken.lossy === lossy);
    const report = await run({ lossy, faults: trials.flatMap(({ faults }) => faults) }, SEED);
    expect(
      report.violations.map(({ what }) => what),
      describeReport(report),
    ).toEqual([]);
    expect(report.troubles, describeReport(report)).toEqual([]);
  },
  scaled(60_000),
);

test(
  'permits of workers that were killed at the end are not taken for something left behind',
  async () => {
    const killed = FAULTS.filter(({ name }) => name === 'worker killed');
    const report = await runChaos({
      ground,
      // By another name no calm follows: the last one dies as the run ends.
      faults: killed.map((fault) => ({ ...fault, name: 'worker killed at the end' })),
      pause: 1,
      seconds: 2,
      seed: SEED,
      workers: WORKERS,
      mode: 'strict',
      sorts: ['permit'],
      // Many, with long leases: what a dead one had is not asked for again before the last look.
      names: 16,
      leases: [5000],
    });
    expect(report.faults['worker killed at the end'], describeReport(report)).toBeGreaterThan(0);
    expect(
      report.violations.map(({ what }) => what),
      describeReport(report),
    ).toEqual([]);
  },
  scaled(60_000),
);
