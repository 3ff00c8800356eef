import { buildPeer } from '../java/peer.builder.mjs';
import { buildJudge, expectGo } from '../porcupine/judge.builder.mjs';
import { readCommit } from '../simulation/commit.seeds.mjs';

/**
 * What "npm test" runs. A budget is in seconds on a developer's machine; TEST_SLOWNESS stretches it.
 * A vitest suite is a project of vitest.config.ts; a check is one script, and counts as one test.
 * A suite of real clocks on a machine that others use, too, may be taken a second look at, when one test or two of it failed.
 * What a suite `needs` beside Node and a Redis is made first; where the machine lacks it, the suite is skipped, aloud.
 * The lanes are run side by side, and the suites of a lane one after the other, in this order. All real clocks are in one lane: a machine
 * with two CPUs that does more than one of these suites at a time is late for their deadlines. They wait for most of their time; what has
 * no clocks `givesWay`, with the lowest priority, and takes the CPU that they leave.
 * @typedef {{ name: string, lane: 0 | 1 | 2, givesWay?: boolean, budget: number, needs?: () => Promise<unknown> }} Suite
 * @typedef {Suite & { project: string, secondLook?: boolean, env?: Readonly<Record<string, string>>, files?: readonly string[] }} VitestSuite  `env`: further variables; `files`: parts of their names, all of the project without it
 * @typedef {Suite & { script: string, args: readonly string[] }} Check
 */

/** One after the other, with the machine almost to themselves. */
const clocks = /** @type {const} */ ({ lane: 0 });

/** Its budgets, and all deadlines of its own, are for what others leave of the CPU. */
const aside = /** @type {const} */ ({ lane: 1, givesWay: true });

/** The same, for what runs one process after the other. */
const beside = /** @type {const} */ ({ lane: 2, givesWay: true });

/** @type {readonly (VitestSuite | Check)[]} */
export const SUITES = [
  { name: 'chaos', ...clocks, budget: 120, project: 'chaos' },
  { name: 'interop', ...clocks, budget: 240, project: 'interop', needs: buildPeer },
  { name: 'integration', ...clocks, budget: 500, project: 'integration', secondLook: true },
  // Browsers, compilers, the demo and the command line.
  { name: 'programs', ...clocks, budget: 330, project: 'programs', secondLook: true },
  { name: 'conformance', ...clocks, budget: 120, project: 'conformance', secondLook: true },
  {
    name: 'node-redis',
    ...clocks,
    budget: 120,
    project: 'conformance',
    env: { LOCK_TEST_CLIENT: 'node-redis', LOCK_TEST_RESP: '3' },
    files: ['test/locks'],
    secondLook: true,
  },
  // Four fifths are the conformance suite, of seven kinds on two topologies.
  { name: 'topologies', ...clocks, budget: 165, project: 'topologies', secondLook: true },
  // Models of scripts beside a Redis bear a few seconds of real time, not more.
  { name: 'models', ...clocks, budget: 90, project: 'models' },
  // Applications with real timers, and with the library's own limits for a Redis that does not answer.
  { name: 'matrix', ...clocks, budget: 240, script: 'tools/matrix/main.mjs', args: ['--runtimes', 'turn'] },
  // Beside other suites a time of an import says nothing: `npm run check:package` compares it, where it has the machine.
  {
    name: 'check:package',
    ...aside,
    budget: 180,
    script: 'tools/package/check-package.mjs',
    args: ['--counted'],
  },
  { name: 'unit', ...aside, budget: 180, project: 'unit' },
  { name: 'check:lua', ...aside, budget: 15, script: 'tools/lua/embed.mjs', args: ['--check'] },
  { name: 'check:api', ...aside, budget: 90, script: 'tools/package/check-api.mjs', args: [] },
  {
    name: 'docs:api',
    ...aside,
    budget: 60,
    script: 'node_modules/typedoc/bin/typedoc',
    args: ['--options', 'tools/docs/typedoc.config.mjs', '--emit', 'none'],
  },
  { name: 'check:walks', ...aside, budget: 60, script: 'tools/walk/check-walks.mjs', args: [] },
  // Long before `matrix` needs it.
  {
    name: 'matrix:install',
    ...beside,
    budget: 240,
    script: 'tools/matrix/main.mjs',
    args: ['--install', '--runtimes', 'turn'],
  },
  {
    name: 'check:porcupine',
    ...beside,
    // On a new machine Go compiles its own library first.
    budget: 150,
    script: 'tools/porcupine/check-porcupine.mjs',
    args: [],
    needs: () => Promise.all([expectGo(), buildJudge()]),
  },
  // Of those that bundle the simulation one at a time.
  {
    name: 'check:replay',
    ...beside,
    budget: 150,
    script: 'tools/simulation/check-replay.mjs',
    args: ['--runs', '1', '--seconds', '8'],
  },
  {
    name: 'check:seeds',
    ...beside,
    budget: 360,
    script: 'tools/simulation/check-seeds.mjs',
    args: [],
    needs: readCommit,
  },
  { name: 'simulation', ...beside, budget: 600, project: 'simulation' },
];
