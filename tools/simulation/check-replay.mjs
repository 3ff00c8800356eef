/**
 * "npm run check:replay -- [--nodes 20,22,24,26] [--runs 2] [--seconds 20]": the same seeds give the same events twice in one process, in two processes
 * beside busy loops, and on each of these versions of Node. A version that cannot be had is left out, aloud.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { runCommand } from '../redis/command.runner.mjs';
import { findNode } from './node.versions.mjs';
import { PLACES } from './simulated.places.mjs';
import { bundleSimulation, FLAGS, SIMULATION } from './simulation.bundler.mjs';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '20,22,24,26' },
    runs: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
  },
});

const WITHIN = 600_000;

/**
 * By place and seed: what `--hash` prints.
 * @param {string} node
 * @param {readonly string[]} [options]
 * @returns {Promise<string[]>}
 */
async function hashesOn(node, options = []) {
  /** @type {string[]} */
  const hashes = [];
  for (const { name, options: place } of PLACES) {
    const args = [
      ...FLAGS,
      SIMULATION,
      ...place,
      '--runs',
      values.runs,
      '--seconds',
      values.seconds,
      '--hash',
      ...options,
    ];
    const { ok, output } = await runCommand(node, args, { timeout: WITHIN });
    if (!ok) throw new Error(`${name}: ${output}`);
    for (const [, seed, hash] of output.matchAll(/^(\d+) ([\da-f]{64})$/gm))
      hashes.push(`${name} ${seed} ${hash}`);
  }
  return hashes;
}

/**
 * @param {readonly string[]} expected
 * @param {string} what
 * @param {readonly string[]} hashes
 */
function compare(expected, what, hashes) {
  const different = hashes.filter((each) => !expected.includes(each));
  const isSame = different.length === 0 && hashes.length === expected.length && hashes.length > 0;
  if (!isSame) process.exitCode = 1;
  console.log(
    `${isSame ? 'ok    ' : 'FAILED'} ${what}: ${hashes.length - different.length} hashes are the same`,
  );
  for (const each of different) console.log(`       ${each}`);
}

/**
 * @template T
 * @param {() => Promise<T>} run
 * @returns {Promise<T>} what came of it while all processors were busy
 */
async function underLoad(run) {
  const loops = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    return await run();
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

if (!(await bundleSimulation())) throw new Error('the simulation cannot be built');
const own = await hashesOn(process.execPath, ['--twice']);
const { execPath, versions } = process;
compare(own, `Node ${versions.node}, twice in one process`, own);
const [one, other] = await underLoad(() => Promise.all([hashesOn(execPath), hashesOn(execPath)]));
compare(own, 'two processes beside busy loops, the first', one);
compare(own, 'two processes beside busy loops, the second', other);
for (const major of values.nodes.split(',')) {
  if (versions.node.startsWith(`${major}.`)) continue;
  const found = await findNode(major);
  if ('path' in found) compare(own, found.what, await hashesOn(found.path));
  else console.warn(`SKIPPED ${found.what}: ${found.reason}`);
}
