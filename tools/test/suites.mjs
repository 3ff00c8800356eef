import { buildPeer } from '../java/peer.builder.mjs';

/**
 * What "npm test" runs. A budget is in seconds on a developer's machine; TEST_SLOWNESS stretches it.
 * A vitest suite is a project of vitest.config.ts; a check is one script, and counts as one test.
 * A suite of real clocks on a machine that others use, too, may be taken a second look at, when one test or two of it failed.
 * What a suite `needs` beside Node and a Redis is made first; where the machine lacks it, the suite is skipped, aloud.
 * The lanes are run side by side, and the suites of a lane one after the other, in this order. The faults of `chaos` need all of a CPU, and
 * stand beside what has no clocks; the rest of either lane mostly waits.
 * @typedef {{ name: string, lane: 0 | 1, budget: number }} Suite
 * @typedef {Suite & { project: string, secondLook?: boolean, needs?: () => Promise<unknown> }} VitestSuite
 * @typedef {Suite & { script: string, args: readonly string[] }} Check
 */

/** @type {readonly (VitestSuite | Check)[]} */
export const SUITES = [
  { name: 'chaos', lane: 0, budget: 120, project: 'chaos' },
  { name: 'integration', lane: 0, budget: 600, project: 'integration', secondLook: true },
  { name: 'unit', lane: 1, budget: 90, project: 'unit' },
  { name: 'check:lua', lane: 1, budget: 5, script: 'tools/lua/embed.mjs', args: ['--check'] },
  { name: 'check:api', lane: 1, budget: 15, script: 'tools/package/check-api.mjs', args: [] },
  {
    name: 'docs:api',
    lane: 1,
    budget: 15,
    script: 'node_modules/typedoc/bin/typedoc',
    args: ['--options', 'tools/docs/typedoc.config.mjs', '--emit', 'none'],
  },
  { name: 'check:package', lane: 1, budget: 60, script: 'tools/package/check-package.mjs', args: [] },
  { name: 'conformance', lane: 1, budget: 120, project: 'conformance', secondLook: true },
  { name: 'topologies', lane: 1, budget: 120, project: 'topologies', secondLook: true },
  { name: 'interop', lane: 1, budget: 240, project: 'interop', needs: buildPeer },
  { name: 'matrix', lane: 1, budget: 120, script: 'tools/matrix/main.mjs', args: [] },
];
