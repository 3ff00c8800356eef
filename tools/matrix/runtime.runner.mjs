import { join } from 'node:path';
import { runCells, THIS_NODE } from './cell.runner.mjs';
import { ON_EVERY_SERVER } from './cells.mjs';
import { runFleet } from './fleet.runner.mjs';
import { versionOf } from './installs.mjs';
import { findRuntimes } from './runtimes.mjs';
import { runSomeAtOnce } from './side.by.side.mjs';

/**
 * One cell of the table of runtimes.
 * @typedef {{ runtime: string, client: string, check: string, ok: boolean, text: string, ms: number }} RuntimeCell
 */

/**
 * What runs on each of them, with Nest 12 in ES modules.
 * @type {readonly { redis?: '5' | '6', env: NodeJS.ProcessEnv }[]}
 */
const CLIENTS = [
  { env: {} },
  { redis: '5', env: { MATRIX_CLIENT: 'redis' } },
  { redis: '6', env: { MATRIX_CLIENT: 'redis' } },
];

/**
 * Runs on each runtime and client what other runtimes and clients do differently: handlers, jobs, all kinds of locks, and a fleet of
 * two processes.
 * @param {readonly string[]} names of runtimes
 * @param {import('./stages.mjs').MatrixStages} stages
 * @param {string} url of Redis
 * @param {(cell: RuntimeCell) => void} tell
 * @returns {Promise<{ what: string, reason: string }[]>} the runtimes that could not be had
 */
export async function runOnRuntimes(names, stages, url, tell) {
  const found = [THIS_NODE, ...(await findRuntimes(names))];
  const absent = found.flatMap((each) => ('reason' in each ? [each] : []));
  const places = found
    .flatMap((each) => ('reason' in each ? [] : [each]))
    .flatMap((runtime) => CLIENTS.map((client) => ({ runtime, ...client })));
  await runSomeAtOnce(places, async ({ runtime, redis, env }) => {
    const folder = await stages.get({ nest: '12', ioredis: '6', ...(redis && { redis }) });
    const name = redis === undefined ? 'ioredis' : 'redis';
    const client = `${name} ${await versionOf(join(folder, 'node_modules', name))}`;
    const began = performance.now();
    const [cells, fleet] = await Promise.all([
      runCells(folder, 'esm', ON_EVERY_SERVER, { redis: url, runtime, env }),
      runFleet(runtime, join(folder, 'esm'), url, env).then(
        (text) => ({ ok: true, text }),
        (/** @type {Error} */ error) => ({ ok: false, text: error.stack ?? error.message }),
      ),
    ]);
    const ms = Math.round(performance.now() - began);
    for (const cell of [...cells, { ...fleet, check: 'two processes', ms }])
      tell({ runtime: runtime.what, client, check: cell.check, ok: cell.ok, text: cell.text, ms: cell.ms });
  });
  return absent;
}
