import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { reasonsOf } from './failure.reasons.mjs';
import { readReport } from './vitest.report.mjs';

/** @typedef {import('./vitest.report.mjs').Outcome} Outcome */

/**
 * @typedef {{ failures: import('./vitest.report.mjs').Failure[], passes: Set<string>, troubles: readonly string[] }} Doubts the tests that failed, those that passed, and what failed outside of them
 */

/** @typedef {{ slowness: number, isAlone: boolean }} Circumstances `isAlone`: no other suite runs at the same time */

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const TROUBLES = `--reporter=${join(ROOT, 'tools/test/trouble.reporter.mjs')}`;

/** A suite that takes this many budgets hangs, and is ended. */
const HANGS_AFTER = 3;

/** So long may its last words take, in ms. */
const ENDS_WITHIN = 5000;

/** With more tests of a suite that failed than this, no second look is taken. */
const SECOND_LOOKS = 2;

/**
 * Runs a suite.
 * @param {import('./suites.mjs').VitestSuite} suite
 * @param {Circumstances} circumstances
 * @param {readonly string[]} [files] all of the suite without it
 * @returns {Promise<Outcome & Doubts>}
 */
export async function runVitest(suite, circumstances, files = suite.files ?? []) {
  const { project } = suite;
  const folder = await mkdtemp(join(tmpdir(), 'vitest-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, TROUBLES];
    const args = ['run', '--project', project, ...reporters, ...files];
    const troubles = join(folder, 'troubles.txt');
    const env = { ...suite.env, SUITE_FAILURES: troubles };
    const { succeeded } = await runWithin({ script: VITEST, args, env }, suite, circumstances);
    const [text, told] = await Promise.all(
      [file, troubles].map((name) => readFile(name, 'utf8').catch(() => '')),
    );
    const outside = told?.split('\n').filter(Boolean) ?? [];
    return { ...readReport(text ? JSON.parse(text) : null, succeeded, ROOT, outside), troubles: outside };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Where a suite says so, a test or two that failed are looked at again: their files are run once more, with the machine to
 * themselves. Those that pass then are `unstable`.
 * @param {import('./suites.mjs').VitestSuite} suite
 * @param {Outcome & Doubts} first
 * @param {number} slowness
 * @returns {Promise<Outcome & Doubts & { unstable?: string[] }>}
 */
export async function lookAgain(suite, first, slowness) {
  const { failures } = first;
  const isOfTests = failures.length > 0 && failures.length === first.failed;
  if (!suite.secondLook || !isOfTests || first.failed > SECOND_LOOKS) return first;
  const files = [...new Set(failures.map(({ file }) => file))];
  console.log(`== ${suite.name}: a second look at ${files.join(', ')}`);
  const second = await runVitest(suite, { slowness, isAlone: true }, files);
  if (second.failed > 0 || !failures.every(({ test }) => second.passes.has(test))) return first;
  return {
    ...first,
    passed: first.passed + first.failed,
    failed: 0,
    failures: [],
    unstable: failures.map(({ test }) => test),
  };
}

/**
 * @param {import('./suites.mjs').Check} check
 * @param {Circumstances} circumstances
 * @returns {Promise<Outcome & { reasons: string[] }>} reasons: lines that say why it failed
 */
export async function runCheck(check, circumstances) {
  const script = join(ROOT, check.script);
  const { succeeded, output } = await runWithin({ script, args: check.args }, check, circumstances);
  if (succeeded) return { passed: 1, failed: 0, skipped: [], reasons: [] };
  return { passed: 0, failed: 1, skipped: [], reasons: reasonsOf(output) };
}

/**
 * What is not alone prints its output as a whole when it has ended.
 * @param {{ script: string, args: readonly string[], env?: Record<string, string> }} command with further variables
 * @param {import('./suites.mjs').Suite} suite
 * @param {Circumstances} circumstances
 * @returns {Promise<{ succeeded: boolean, output: string }>} output: of one that is not alone
 */
function runWithin({ script, args, env }, { budget, givesWay = false }, { slowness, isAlone }) {
  return new Promise((resolve) => {
    const output = isAlone ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, [script, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    });
    // What it starts has its priority.
    if (givesWay && !isAlone && child.pid !== undefined)
      setPriority(child.pid, constants.priority.PRIORITY_LOW);
    /** @type {Buffer[]} */
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => printed.push(data));
    const within = HANGS_AFTER * budget * slowness;
    const timer = setTimeout(() => {
      const problem = `FAILED: ${script} hangs: ended after ${within} s\n`;
      process.stderr.write(problem);
      printed.push(Buffer.from(problem));
      child.kill('SIGKILL');
      // What it has started may keep its pipes open.
      setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream?.destroy()), ENDS_WITHIN);
    }, within * 1000);
    child.once('error', ({ message }) => resolve({ succeeded: false, output: message }));
    child.once('close', (code) => {
      clearTimeout(timer);
      const all = Buffer.concat(printed);
      process.stdout.write(all);
      resolve({ succeeded: code === 0, output: all.toString() });
    });
  });
}
