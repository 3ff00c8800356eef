/**
 * "npm test": builds what is needed, runs every suite and check, and ends with one line of totals.
 * Arguments name the suites to run; without any, all run.
 */
import { readFile } from 'node:fs/promises';
import { runNode } from '../build/node.runner.mjs';
import { judgeSkips } from './skip.judge.mjs';
import { lookAgain, runCheck, runVitest } from './suite.runner.mjs';
import { SUITES } from './suites.mjs';
import { Unavailable } from './unavailable.mjs';

/** @typedef {import('./vitest.report.mjs').Outcome} Outcome */
/** @typedef {import('./suite.runner.mjs').Doubts} Doubts */
/** @typedef {import('./suites.mjs').VitestSuite} VitestSuite */
/** @typedef {import('./suites.mjs').Check} Check */
/** @typedef {Outcome & Partial<Doubts> & { unstable?: string[], reasons?: readonly string[] }} Result */

const slowness = Number(process.env['TEST_SLOWNESS'] || 1);
const names = process.argv.slice(2);
const chosen = SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
const lanes = [0, 1, 2]
  .map((lane) => chosen.filter((suite) => suite.lane === lane))
  .filter(({ length }) => length > 0);
/** @type {import('./skip.judge.mjs').AllowedSkip[]} */
const absent = [];

/**
 * @param {VitestSuite | Check} suite
 * @param {boolean} isAlone
 * @returns {Promise<Result>} one skip, which is allowed, where the machine lacks what the suite needs
 */
async function run(suite, isAlone) {
  try {
    await suite.needs?.();
  } catch (error) {
    if (error instanceof Unavailable) {
      absent.push({ test: suite.name, reason: error.message });
      return { passed: 0, failed: 0, skipped: [suite.name] };
    }
    console.error(error);
    return { passed: 0, failed: 1, skipped: [], reasons: [String(error)] };
  }
  const circumstances = { slowness, isAlone };
  return 'project' in suite ? runVitest(suite, circumstances) : runCheck(suite, circumstances);
}

/** @type {Map<VitestSuite | Check, { result: Result, seconds: number }>} */
const runs = new Map();

/**
 * @param {readonly (VitestSuite | Check)[]} lane
 * @param {boolean} isAlone
 */
async function runLane(lane, isAlone) {
  for (const suite of lane) {
    const started = performance.now();
    console.log(`== ${suite.name} begins`);
    const result = await run(suite, isAlone);
    const seconds = (performance.now() - started) / 1000;
    console.log(`== ${suite.name} has ended after ${seconds.toFixed(1)} s`);
    runs.set(suite, { result, seconds });
  }
}

/** Second looks are taken when all else has ended. */
async function lookAgainAtAll() {
  for (const [suite, { result, seconds }] of runs) {
    const { failures, passes, troubles } = result;
    if (!('project' in suite) || !failures || !passes || !troubles) continue;
    const again = await lookAgain(suite, { ...result, failures, passes, troubles }, slowness);
    runs.set(suite, { result: again, seconds });
  }
}

/** @type {string[]} */
const summary = [];
let broken = 0;
const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  const known = SUITES.map(({ name }) => name).join(', ');
  console.error(`no such suite: ${unknown.join(', ')}; there are ${known}`);
  broken += unknown.length;
} else if (await runNode('tools/build/build.mjs', [])) {
  await Promise.all(lanes.map((lane) => runLane(lane, lanes.length === 1)));
  await lookAgainAtAll();
} else {
  summary.push('the build failed, so nothing was run');
  broken += 1;
}

for (const suite of chosen) {
  const told = runs.get(suite);
  if (told === undefined) continue;
  const { result, seconds } = told;
  const counts = `${result.passed} passed, ${result.failed} failed, ${result.skipped.length} skipped`;
  const budget = suite.budget * slowness;
  const over = seconds > budget ? '  OVER BUDGET' : '';
  summary.push(`${suite.name.padEnd(16)} ${counts}; ${seconds.toFixed(1)} s of ${budget} s${over}`);
}
const results = [...runs].map(([{ name }, { result }]) => ({ name, ...result }));
const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, broken);
const skipped = results.flatMap((result) => result.skipped);
const allowed = JSON.parse(await readFile(new URL('./allowed.skips.json', import.meta.url), 'utf8'));
const { expected, unexpected } = judgeSkips(skipped, [...allowed, ...absent]);
console.log(`\n${summary.join('\n')}`);
for (const { name, failures = [], troubles = [], unstable = [], reasons = [] } of results) {
  for (const { test, reason } of failures) console.log(`FAILED: ${test}: ${reason}`);
  for (const reason of reasons) console.log(`FAILED: ${name}: ${reason}`);
  for (const trouble of troubles) console.log(`FAILED: ${name}, outside of its tests: ${trouble}`);
  for (const test of unstable) console.log(`UNSTABLE, passed at the second look: ${test}`);
}
for (const test of expected) console.log(`SKIPPED: ${test}`);
for (const test of unexpected) console.log(`SKIPPED, AND NOT ALLOWED TO: ${test}`);
if (failed > 0 || unexpected.length > 0) process.exitCode = 1;
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
