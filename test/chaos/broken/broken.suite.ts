import { describe, expect, test } from 'vitest';
import { buildJudge } from '../../../tools/porcupine/judge.mjs';
import { Unavailable } from '../../../tools/test/unavailable.mjs';
import { scaled } from '../../support/slowness.js';
import { runChaos } from '../chaos.run.js';
import type { LockSort } from '../chaos.types.js';
import type { BreakableGround, GroundFault } from '../faults/breakable.ground.js';
import { FAULTS } from '../faults/fault.table.js';
import { describeReport, type ChaosReport } from '../report.js';
import { BrokenBuild } from './broken.build.js';
import type { BrokenLock } from './broken.locks.js';
import { LATE_REPLIES } from './late.replies.js';

/** Processes of a trial. */
export const WORKERS = 3;
/** CHAOS_SEED tries another one. */
export const SEED = Number(process.env['CHAOS_SEED'] ?? 4);
/** So long may it take to find a defect, in ms. */
const SOON = 120_000;
/** Those that share the scripts that are broken. */
const SORTS: readonly LockSort[] = ['reentrant', 'nonReentrant', 'spin', 'fenced'];

/** Why Porcupine judges nothing here; undefined where it does. */
const withoutPorcupine = await buildJudge().then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof Unavailable) return error.message;
    throw error;
  },
);

export type Trial = Pick<BrokenLock, 'faults' | 'lossy' | 'sorts' | 'seconds'>;

/** One run of a library, sound or broken, under the faults that bring the defect to light. */
export async function tryOut(
  ground: BreakableGround,
  { faults, lossy, sorts = SORTS, seconds = 6 }: Trial,
  seed: number,
  build?: BrokenBuild,
): Promise<ChaosReport> {
  const known: readonly GroundFault[] = [...FAULTS, LATE_REPLIES];
  return await runChaos({
    ground,
    faults: known.filter(({ name }) => faults.includes(name)),
    pause: 300,
    seconds,
    seed,
    workers: WORKERS,
    callers: 8,
    mode: lossy ? 'lossy' : 'strict',
    sorts,
    leases: [1000],
    build: build?.workers,
  });
}

/** Each of them is found by the checker, and by Porcupine where the defect is one of order or overlap. */
export function expectToBeFound(locks: readonly BrokenLock[], ground: () => BreakableGround): void {
  const reportsOf = new Map<BrokenLock, ChaosReport[]>();

  test.each(locks)(
    '$name is found out within two minutes',
    async (broken) => {
      const build = await BrokenBuild.make(broken.defects);
      const end = performance.now() + scaled(SOON);
      try {
        const reports: ChaosReport[] = [];
        reportsOf.set(broken, reports);
        // What else it breaks does not count: a lock that comes back after its release also keeps waiters out.
        const found = () =>
          reports.flatMap(({ violations }) =>
            violations.filter(({ invariant }) => broken.violates.includes(invariant)),
          );
        const isJudged = withoutPorcupine !== undefined || !broken.isIllegal;
        const isDone = () => found().length > 0 && (isJudged || illegalIn(reports) > 0);
        // Rarely the first seed does not let it happen.
        for (let seed = SEED; !isDone() && performance.now() < end; seed += 1)
          reports.push(await tryOut(ground(), broken, seed, build));
        const told = reports.map(describeReport).join('\n');
        console.log(bothVerdicts(broken, reports));
        expect(found().length, told).toBeGreaterThan(0);
      } finally {
        await build.remove();
      }
    },
    scaled(SOON + 60_000),
  );

  describe.skipIf(withoutPorcupine !== undefined)('Porcupine', () => {
    test.each(locks.filter(({ isIllegal }) => isIllegal))('calls $name illegal', (broken) => {
      const reports = reportsOf.get(broken) ?? [];
      expect(illegalIn(reports), reports.map(describeReport).join('\n')).toBeGreaterThan(0);
    });
  });
}

function illegalIn(reports: readonly ChaosReport[]): number {
  return reports.reduce((sum, { porcupine }) => sum + porcupine.illegal.length, 0);
}

function bothVerdicts({ name }: BrokenLock, reports: readonly ChaosReport[]): string {
  const violations = reports.flatMap((report) => report.violations);
  const invariants = [...new Set(violations.map(({ invariant }) => invariant))].toSorted();
  const ours = `${violations.length} violations of ${invariants.join(', ')}`;
  const histories = reports.reduce(
    (sum, { porcupine }) => sum + Object.values(porcupine.judged).reduce((one, other) => one + other, 0),
    0,
  );
  const theirs =
    withoutPorcupine === undefined
      ? `${illegalIn(reports)} of ${histories} histories illegal`
      : `SKIPPED: ${withoutPorcupine}`;
  return `${name}, ${reports.length} runs: ${ours}; Porcupine: ${theirs}`;
}
