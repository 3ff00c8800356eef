import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { TESTED } from './cells.mjs';
import { versionOf } from './installs.mjs';

const WITHIN = 180_000;

/** @type {import('./runtimes.mjs').Runtime} */
export const THIS_NODE = { what: `Node ${process.versions.node}`, command: process.execPath, args: [] };

/**
 * What the checks run on.
 * @typedef {{ redis: string, runtime?: import('./runtimes.mjs').Runtime, env?: NodeJS.ProcessEnv }} Place  `redis`: a URL
 */

/**
 * One cell of the table.
 * @typedef {{ check: string, ok: boolean, text: string, ms: number, versions: string }} Cell
 */

/**
 * Runs the checks of a combination in a process of their own.
 * @param {string} folder that of the combination
 * @param {'esm' | 'cjs'} format
 * @param {readonly string[]} checks
 * @param {Place} place
 * @returns {Promise<Cell[]>} one for each check, also for those that never came to an end
 */
export async function runCells(folder, format, checks, { redis, runtime = THIS_NODE, env = {} }) {
  const { command, args } = runtime;
  const child = spawn(command, [...args, join(folder, format, 'main.js'), ...checks], {
    cwd: folder,
    env: { ...process.env, ...env, REDIS_URL: redis, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: WITHIN,
  });
  /** @type {Map<string, Omit<Cell, 'versions'>>} */
  const results = new Map();
  /** @type {string[]} */
  const said = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      const result = parse(line);
      if (result) results.set(result.check, result);
      else said.push(line);
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  const versions = await Promise.all(checks.map((check) => versionsOf(folder, check)));
  // A process that does not end by itself has left something behind, so nothing of it counts.
  const ending = code === 0 ? 'has not told of this check' : `ended with ${code ?? 'a signal'}`;
  return checks.map((check, index) => {
    const text = [`the process ${ending}`, ...(index === 0 ? said : [])].join('\n');
    const result = results.get(check);
    const cell = result && (code === 0 || !result.ok) ? result : { check, ok: false, ms: 0, text };
    return { ...cell, versions: versions[index] ?? '' };
  });
}

/**
 * @param {string} line
 * @returns {Omit<Cell, 'versions'> | null}
 */
function parse(line) {
  if (!line.startsWith('{"check":')) return null;
  return JSON.parse(line);
}

/**
 * @param {string} folder
 * @param {string} check
 */
async function versionsOf(folder, check) {
  const names = TESTED[/** @type {keyof typeof TESTED} */ (check)];
  const versions = await Promise.all(
    names.map(async (name) => `${name} ${await versionOf(join(folder, '../node_modules', name))}`),
  );
  return versions.join(', ');
}
