/**
 * "npm test": builds what is needed, runs every suite and check, and ends with one line of totals.
 * Arguments name the suites to run; without any, all run.
 */
import { readFile } from 'node:fs/promises';
import { runNode } from '../build/node.runner.mjs';
import { PeerUnavailable } from '../java/peer.builder.mjs';
import { judgeSkips } from './skip.judge.mjs';
import { runCheck, runVitest } from './suite.runner.mjs';
import { CHECKS, VITEST_SUITES } from './suites.mjs';

/** @typedef {import('./vitest.report.mjs').Outcome} Outcome */

const slowness = Number(process.env['TEST_SLOWNESS'] || 1);
const chosen = process.argv.slice(2);
/** @type {string[]} */
const summary = [];
let passed = 0;
let failed = 0;
/** @type {string[]} */
const skipped = [];
/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const unstable = [];
/** @type {import('./skip.judge.mjs').AllowedSkip[]} */
const absent = [];

/**
 * @param {{ name: string, budget: number }} suite
 * @param {() => Promise<Outcome & Partial<import('./suite.runner.mjs').Doubts>>} run
 */
async function count({ name, budget }, run) {
  if (chosen.length > 0 && !chosen.includes(name)) return;
  const started = performance.now();
  const outcome = await run();
  const seconds = (performance.now() - started) / 1000;
  passed += outcome.passed;
  failed += outcome.failed;
  skipped.push(...outcome.skipped);
  failures.push(...(outcome.failures ?? []).map(({ test }) => test));
  failures.push(...(outcome.troubles ?? []).map((trouble) => `${name}, outside of its tests: ${trouble}`));
  unstable.push(...(outcome.unstable ?? []));
  const counts = `${outcome.passed} passed, ${outcome.failed} failed, ${outcome.skipped.length} skipped`;
  const over = seconds > budget * slowness ? '  OVER BUDGET' : '';
  summary.push(`${name.padEnd(16)} ${counts}; ${seconds.toFixed(1)} s of ${budget * slowness} s${over}`);
}

/**
 * @param {import('./suites.mjs').VitestSuite} suite
 * @returns {Promise<Outcome & Partial<import('./suite.runner.mjs').Doubts>>} one skip, which is allowed, where the machine lacks what the suite needs
 */
async function runIfPossible(suite) {
  try {
    await suite.needs?.();
  } catch (error) {
    if (error instanceof PeerUnavailable) {
      absent.push({ test: suite.name, reason: error.message });
      return { passed: 0, failed: 0, skipped: [suite.name] };
    }
    console.error(error);
    return { passed: 0, failed: 1, skipped: [] };
  }
  return runVitest(suite, slowness);
}

const names = [...VITEST_SUITES, ...CHECKS].map(({ name }) => name);
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`no such suite: ${unknown.join(', ')}; there are ${names.join(', ')}`);
  failed += unknown.length;
} else if (await runNode('tools/build/build.mjs', [])) {
  for (const suite of VITEST_SUITES) await count(suite, () => runIfPossible(suite));
  for (const check of CHECKS) await count(check, () => runCheck(check, slowness));
} else {
  summary.push('the build failed, so nothing was run');
  failed += 1;
}

const allowed = JSON.parse(await readFile(new URL('./allowed.skips.json', import.meta.url), 'utf8'));
const { expected, unexpected } = judgeSkips(skipped, [...allowed, ...absent]);
console.log(`\n${summary.join('\n')}`);
for (const test of failures) console.log(`FAILED: ${test}`);
for (const test of unstable) console.log(`UNSTABLE, passed at the second look: ${test}`);
for (const test of expected) console.log(`SKIPPED: ${test}`);
for (const test of unexpected) console.log(`SKIPPED, AND NOT ALLOWED TO: ${test}`);
if (failed > 0 || unexpected.length > 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
