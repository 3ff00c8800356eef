import { buildPeer } from '../java/peer.builder.mjs';
import { buildJudge, expectGo } from '../porcupine/judge.builder.mjs';
import { readCommit } from '../simulation/commit.seeds.mjs';

/**
 * What "npm test" runs. A budget is in seconds on a developer's machine; TEST_SLOWNESS stretches it.
 * A vitest suite is a project of vitest.config.ts; a check is one script, and counts as one test.
 * A suite of real clocks on a machine that others use, too, may be taken a second look at, when one test or two of it failed.
 * What a suite `needs` beside Node and a Redis is made first; where the machine lacks it, the suite is skipped, aloud.
 * The lanes of a part are run side by side, and the suites of a lane one after the other, in this order. In the first part nobody shall take
 * the CPU from the faults of `chaos` and from `interop`, which measures how soon the other side is notified: what has no clocks `givesWay`.
 * In the second part each lane mostly waits. The third one is for what needs the CPUs and has no clocks that others could delay.
 * @typedef {{ name: string, part: 1 | 2 | 3, lane: 0 | 1 | 2, givesWay?: boolean, budget: number, needs?: () => Promise<unknown> }} Suite
 * @typedef {Suite & { project: string, secondLook?: boolean }} VitestSuite
 * @typedef {Suite & { script: string, args: readonly string[] }} Check
 */

/** Beside the clocks of others. */
const aside = /** @type {const} */ ({ part: 1, lane: 1, givesWay: true });

/** The same, for what runs one process after the other, and leaves a CPU to that of `aside` which needs two. */
const beside = /** @type {const} */ ({ part: 1, lane: 2, givesWay: true });

/** @type {readonly (VitestSuite | Check)[]} */
export const SUITES = [
  { name: 'unit', ...aside, budget: 90, project: 'unit' },
  { name: 'check:lua', ...beside, budget: 5, script: 'tools/lua/embed.mjs', args: ['--check'] },
  { name: 'check:api', ...beside, budget: 30, script: 'tools/package/check-api.mjs', args: [] },
  {
    name: 'docs:api',
    ...beside,
    budget: 15,
    script: 'node_modules/typedoc/bin/typedoc',
    args: ['--options', 'tools/docs/typedoc.config.mjs', '--emit', 'none'],
  },
  {
    name: 'check:replay',
    ...aside,
    budget: 90,
    script: 'tools/simulation/check-replay.mjs',
    args: ['--runs', '1', '--seconds', '8'],
  },
  { name: 'check:walks', ...beside, budget: 20, script: 'tools/walk/check-walks.mjs', args: [] },
  {
    name: 'check:porcupine',
    ...beside,
    // On a new machine Go compiles its own library first.
    budget: 90,
    script: 'tools/porcupine/check-porcupine.mjs',
    args: [],
    needs: () => Promise.all([expectGo(), buildJudge()]),
  },
  { name: 'models', ...aside, budget: 90, project: 'models' },
  { name: 'check:package', ...aside, budget: 60, script: 'tools/package/check-package.mjs', args: [] },
  { name: 'chaos', part: 1, lane: 0, budget: 120, project: 'chaos' },
  { name: 'interop', part: 1, lane: 0, budget: 240, project: 'interop', needs: buildPeer },
  { name: 'integration', part: 2, lane: 0, budget: 600, project: 'integration', secondLook: true },
  { name: 'conformance', part: 2, lane: 1, budget: 120, project: 'conformance', secondLook: true },
  // Its leases last as long beside another suite, but its calls and its outages get half of the CPU: 285 to 311 s beside `integration`,
  // with TEST_SLOWNESS=2. Four fifths are the conformance suite, of seven kinds on two topologies.
  { name: 'topologies', part: 2, lane: 1, budget: 165, project: 'topologies', secondLook: true },
  { name: 'matrix', part: 3, lane: 0, budget: 120, script: 'tools/matrix/main.mjs', args: [] },
  {
    name: 'check:seeds',
    part: 3,
    lane: 1,
    givesWay: true,
    budget: 180,
    script: 'tools/simulation/check-seeds.mjs',
    args: [],
    needs: readCommit,
  },
];
