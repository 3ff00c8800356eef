import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { readReport } from './vitest.report.mjs';

/** @typedef {import('./vitest.report.mjs').Outcome} Outcome */

/** A suite that takes this many budgets hangs, and is ended. */
const HANGS_AFTER = 3;

/**
 * @param {import('./suites.mjs').VitestSuite} suite
 * @param {number} slowness
 * @returns {Promise<Outcome>}
 */
export async function runVitest({ project, budget }, slowness) {
  const folder = await mkdtemp(join(tmpdir(), 'vitest-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const args = ['run', '--project', project, ...reporters];
    const succeeded = await runWithin(join(ROOT, 'node_modules/vitest/vitest.mjs'), args, budget * slowness);
    const text = await readFile(file, 'utf8').catch(() => '');
    return readReport(text ? JSON.parse(text) : null, succeeded, ROOT);
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
 * @returns {Promise<boolean>}
 */
function runWithin(script, args, budget) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: ROOT,
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
