import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { readReport } from './vitest.report.mjs';

/** @typedef {import('./vitest.report.mjs').Outcome} Outcome */

/** @typedef {{ failures: import('./vitest.report.mjs').Failure[], troubles: readonly string[], unstable: string[] }} Doubts the tests that failed, what failed outside of them, and the tests that failed once */

const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
const TROUBLES = `--reporter=${join(ROOT, 'tools/test/trouble.reporter.mjs')}`;

/** A suite that takes this many budgets hangs, and is ended. */
const HANGS_AFTER = 3;

/** With more tests of a suite that failed than this, no second look is taken. */
const SECOND_LOOKS = 2;

/**
 * Runs a suite. Where it says so, a test or two that failed are looked at again: their files are run once more, with the machine
 * to themselves. Those that pass then are `unstable`.
 * @param {import('./suites.mjs').VitestSuite} suite
 * @param {number} slowness
 * @returns {Promise<Outcome & Doubts>}
 */
export async function runVitest(suite, slowness) {
  const { passes: _, ...counts } = await runFiles(suite, [], slowness);
  const { failures } = counts;
  const first = { ...counts, unstable: [] };
  const isOfTests = failures.length > 0 && failures.length === first.failed;
  if (!suite.secondLook || !isOfTests || first.failed > SECOND_LOOKS) return first;
  const files = [...new Set(failures.map(({ file }) => file))];
  console.log(`== ${suite.name}: a second look at ${files.join(', ')}`);
  const second = await runFiles(suite, files, slowness);
  if (second.failed > 0 || !failures.every(({ test }) => second.passes.has(test))) return first;
  const passed = first.passed + first.failed;
  return {
    passed,
    failed: 0,
    skipped: first.skipped,
    failures: [],
    troubles: [],
    unstable: failures.map(({ test }) => test),
  };
}

/**
 * @param {import('./suites.mjs').VitestSuite} suite
 * @param {readonly string[]} files none: all of the suite
 * @param {number} slowness
 */
async function runFiles({ project, budget }, files, slowness) {
  const folder = await mkdtemp(join(tmpdir(), 'vitest-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, TROUBLES];
    const args = ['run', '--project', project, ...reporters, ...files];
    const troubles = join(folder, 'troubles.txt');
    const env = { SUITE_FAILURES: troubles };
    const succeeded = await runWithin(VITEST, args, budget * slowness, env);
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
 * @param {import('./suites.mjs').Check} check
 * @param {number} slowness
 * @returns {Promise<Outcome>}
 */
export async function runCheck({ script, args, budget }, slowness) {
  const succeeded = await runWithin(join(ROOT, script), args, budget * slowness);
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: [] };
}

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @param {number} budget in seconds
 * @param {Record<string, string>} [env] further variables
 * @returns {Promise<boolean>}
 */
function runWithin(script, args, budget, env) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const timer = setTimeout(
      () => {
        console.error(`${script} hangs: ended after ${HANGS_AFTER * budget} s`);
        child.kill('SIGKILL');
      },
      HANGS_AFTER * budget * 1000,
    );
    child.once('error', () => resolve(false));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}
