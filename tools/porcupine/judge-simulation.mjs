/**
 * "npm run judge:simulation": Porcupine judges histories of simulated fleets, at least 50 of each kind of lock in each place where one is
 * called, and those of planted defects, which have to be illegal. Where Go cannot be had it is skipped, aloud.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PLACES } from '../simulation/simulated.places.mjs';
import { bundleSimulation, plantDefects, SIMULATION } from '../simulation/simulation.bundler.mjs';
import { Unavailable } from '../test/unavailable.mjs';
import { buildJudge } from './judge.builder.mjs';
import { tableOf } from './judge.mjs';
import { ILLEGAL_DEFECTS } from './illegal.defects.mjs';
import { byPlace, judgeSimulated } from './simulated.histories.mjs';

/** Histories of each kind. */
const WANTED = 50;

/** Runs until a defect shows. */
const MOST_RUNS = 60;

/** Runs whose histories are judged together. */
const RUNS = 10;

/** @param {string} folder */
async function judgeLibrary(folder) {
  /** @type {import('./judge.mjs').Judged[]} */
  const all = [];
  for (const { name, options } of PLACES)
    for (let seed = 1, fewest = 0; fewest < WANTED; seed += RUNS) {
      const place = join(folder, `${name}-${seed}`);
      all.push(...byPlace(await judgeSimulated(SIMULATION, place, { options, seed, runs: RUNS })));
      fewest = Math.min(...countsOf(all.filter(({ kind }) => kind.startsWith(name))));
    }
  for (const { verdict, key, file, stuck } of all)
    if (verdict !== 'ok') console.log(`${verdict}: ${key} in ${file}${stuck && ` at ${stuck}`}`);
  console.log(tableOf(all));
  if (all.some(({ verdict }) => verdict !== 'ok')) process.exitCode = 1;
}

/** @param {readonly import('./judge.mjs').Judged[]} judged */
function countsOf(judged) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { kind } of judged) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts.values();
}

/** @param {string} folder */
async function judgeDefects(folder) {
  // Beside the simulation, where Node finds its packages.
  const broken = join(dirname(SIMULATION), `judged.${process.pid}.mjs`);
  for (const [place, { name, defects, options }] of ILLEGAL_DEFECTS.entries()) {
    await plantDefects(broken, defects);
    const found = await firstIllegal(broken, join(folder, `defect-${place}`), options);
    if (found === undefined) process.exitCode = 1;
    console.log(found === undefined ? `NOT FOUND: ${name}` : `illegal: ${name}: ${found}`);
  }
  await rm(broken, { force: true });
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {readonly string[]} options
 */
async function firstIllegal(program, folder, options) {
  for (let seed = 1; seed <= MOST_RUNS; seed += RUNS) {
    const judged = await judgeSimulated(program, join(folder, `${seed}`), { options, seed, runs: RUNS });
    const illegal = judged.filter(({ verdict }) => verdict === 'illegal');
    const [first] = illegal;
    if (first !== undefined)
      return `${illegal.length} of ${judged.length} histories, ${first.key} at ${first.stuck}`;
  }
  return undefined;
}

const folder = await mkdtemp(join(tmpdir(), 'simulated-'));
try {
  await buildJudge();
  if (!(await bundleSimulation())) throw new Error('the simulation cannot be built');
  await judgeLibrary(folder);
  await judgeDefects(folder);
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  console.warn(`Porcupine judges no history, SKIPPED: ${error.message}`);
} finally {
  if (process.exitCode === 1) console.log(`the histories stay in ${folder}`);
  else await rm(folder, { recursive: true });
}
