import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { judgeHistories } from './judge.mjs';

/** @typedef {import('./judge.mjs').Judged} Judged */

/**
 * Simulates fleets, writes what their callers believed to a folder, one file for each seed, and has it judged.
 * @param {string} program the simulation, as it was built
 * @param {string} folder
 * @param {{ options: readonly string[], seed: number, runs: number }} what where, the first seed, and how many
 * @returns {Promise<Judged[]>}
 */
export async function judgeSimulated(program, folder, { options, seed, runs }) {
  await simulate(program, [...options, '--seed', `${seed}`, '--runs', `${runs}`, '--histories', folder]);
  return judgeHistories([folder]);
}

/**
 * With the kind of lock, and where it was called: models are of fewer kinds.
 * @param {readonly Judged[]} judged
 * @returns {Judged[]}
 */
export function byPlace(judged) {
  return judged.map((each) => {
    const [, family = ''] = /(\w+)\.\d+$/.exec(each.key) ?? [];
    const place = basename(each.file).replace(/-\d+\.jsonl$/, '');
    return { ...each, kind: `${place} ${family}` };
  });
}

/**
 * A rule that the simulation itself finds broken is no error here.
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {Promise<void>}
 */
function simulate(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    // It has no clocks, and gives way to tests that have.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (/^\d+ runs of /m.test(printed)) resolve();
      else reject(new Error(`the simulation ended with ${code}: ${printed}`));
    });
  });
}
