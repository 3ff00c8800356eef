import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../build/node.runner.mjs';
import { Explorer } from './explorer.mjs';
import { variantOf } from './models.mjs';

/** @typedef {import('./spin.finder.mjs').SpinTools} SpinTools */
/** @typedef {import('./models.mjs').Model} Model */
/** @typedef {import('./models.mjs').Variant} Variant */

const FOLDER = join(ROOT, 'test/models/promela');

/** Statements of a walk. One transition has about ten. */
const STEPS = 1500;

/** The transitions that a test plays: calls of scripts, and what passes. The others stay inside an instance. */
const PLAYED = /^(?:script .* -> .* \| |new |pass \||instant \||grace \|)/;

/** How many walks are recorded, and of how many they are chosen. */
const KEPT = 4;
const CANDIDATES = 40;

/**
 * @param {string} file
 * @returns {Promise<string>}
 */
export function readModel(file) {
  return readFile(join(FOLDER, file), 'utf8');
}

/**
 * Ways through a model, each chosen by a seed.
 * @param {SpinTools} tools
 * @param {Model} model
 * @param {Variant} variant
 * @param {readonly number[]} seeds
 * @returns {Promise<string[][]>}
 */
export async function makeWalks(tools, { file, calm }, { name, changes }, seeds) {
  const text = variantOf(await readModel(file), { name, changes: [...changes, ...calm] });
  return Explorer.use(tools, text, async (explorer) => {
    const walks = [];
    for (const seed of seeds) {
      const lines = await explorer.walk(seed, STEPS);
      walks.push(lines.filter((line) => PLAYED.test(line)));
    }
    return walks;
  });
}

/**
 * @param {string} file
 * @returns {Promise<string[][]>} the walks that were recorded
 */
export async function readWalks(file) {
  const text = await readModel(file);
  return text.split('\n\n').map((walk) => walk.split('\n').filter(Boolean));
}

/**
 * Records a few walks that together have the most kinds of transitions.
 * @param {SpinTools} tools
 * @param {Model} model
 * @param {Variant & { walks?: string }} variant
 */
export async function recordWalks(tools, model, variant) {
  const seeds = Array.from({ length: CANDIDATES }, (_, at) => at + 1);
  const walks = await makeWalks(tools, model, variant, seeds);
  /** @type {Set<string>} */
  const seen = new Set();
  /** @type {string[][]} */
  const kept = [];
  while (kept.length < KEPT) {
    const added = (/** @type {string[]} */ walk) =>
      [...new Set(kindsOf(walk))].filter((kind) => !seen.has(kind)).length;
    const best = walks.toSorted((one, other) => added(other) - added(one))[0] ?? [];
    kept.push(best);
    for (const kind of kindsOf(best)) seen.add(kind);
  }
  await writeFile(join(FOLDER, variant.walks ?? ''), `${kept.map((walk) => walk.join('\n')).join('\n\n')}\n`);
}

/**
 * The scripts of a walk with their verdicts, and what a run ended with.
 * @param {readonly string[]} walk
 * @returns {string[]}
 */
export function kindsOf(walk) {
  return walk.flatMap((line) => {
    const [, script, outcome = '', verdict] =
      /^script (\S+)(?:.* outcome=(\w+))?.* -> (\w+)/.exec(line) ?? [];
    return script === undefined
      ? []
      : [[script, outcome, verdict].filter((word) => word && word !== 'none').join(' ')];
  });
}
