import { buildPeer } from '../java/peer.builder.mjs';

/**
 * What "npm test" runs, in this order. A budget is in seconds on a developer's machine; TEST_SLOWNESS stretches it.
 * A vitest suite is a project of vitest.config.ts; a check is one script, and counts as one test.
 * A suite of real clocks on a machine that others use, too, may be taken a second look at, when one test or two of it failed.
 * What a suite `needs` beside Node and a Redis is made first; where the machine lacks it, the suite is skipped, aloud.
 * @typedef {{ name: string, budget: number, project: string, secondLook?: boolean, needs?: () => Promise<unknown> }} VitestSuite
 * @typedef {{ name: string, budget: number, script: string, args: readonly string[] }} Check
 */

/** @type {readonly VitestSuite[]} */
export const VITEST_SUITES = [
  { name: 'unit', budget: 90, project: 'unit' },
  { name: 'integration', budget: 600, project: 'integration', secondLook: true },
  { name: 'conformance', budget: 90, project: 'conformance', secondLook: true },
  { name: 'topologies', budget: 100, project: 'topologies', secondLook: true },
  { name: 'chaos', budget: 120, project: 'chaos' },
  { name: 'interop', budget: 240, project: 'interop', needs: buildPeer },
];

/** @type {readonly Check[]} */
export const CHECKS = [
  { name: 'check:lua', budget: 5, script: 'tools/lua/embed.mjs', args: ['--check'] },
  { name: 'check:api', budget: 15, script: 'tools/package/check-api.mjs', args: [] },
  {
    name: 'docs:api',
    budget: 15,
    script: 'node_modules/typedoc/bin/typedoc',
    args: ['--options', 'tools/docs/typedoc.config.mjs', '--emit', 'none'],
  },
  { name: 'check:package', budget: 30, script: 'tools/package/check-package.mjs', args: [] },
  { name: 'matrix', budget: 60, script: 'tools/matrix/main.mjs', args: [] },
];
