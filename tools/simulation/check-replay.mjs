/**
 * "npm run check:replay -- [--nodes 20,22,24,26] [--runs 2] [--seconds 20]": the same seeds give the same events twice in one process, in two processes
 * on busy processors, and on each of these versions of Node. A version that cannot be had is left out, aloud.
 * All of them run side by side, so that each keeps the processors busy for the others; loops do where those are too few.
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
 * Keeps processors busy.
 * @param {number} count
 * @returns {() => void} ends it
 */
function keepBusy(count) {
  const loops = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  return () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
}

if (!(await bundleSimulation())) throw new Error('the simulation cannot be built');
const { execPath, versions } = process;
const majors = values.nodes.split(',').filter((major) => !versions.node.startsWith(`${major}.`));
/** @type {Awaited<ReturnType<typeof findNode>>[]} */
const nodes = [];
for (const major of majors) nodes.push(await findNode(major));
const others = nodes.flatMap((found) => ('path' in found ? [found] : []));

const release = keepBusy(Math.max(0, availableParallelism() - others.length));
try {
  const [own, one, other, ...further] = await Promise.all([
    hashesOn(execPath, ['--twice']),
    hashesOn(execPath),
    hashesOn(execPath),
    ...others.map(({ path }) => hashesOn(path)),
  ]);
  compare(own, `Node ${versions.node}, twice in one process`, own);
  compare(own, 'two processes on busy processors, the first', one);
  compare(own, 'two processes on busy processors, the second', other);
  for (const [at, { what }] of others.entries()) compare(own, what, further[at] ?? []);
} finally {
  release();
}
for (const found of nodes) if ('reason' in found) console.warn(`SKIPPED ${found.what}: ${found.reason}`);
