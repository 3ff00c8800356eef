/**
 * "npm run models": has SPIN look at every state of the models in `test/models/promela`, and at defects put into them, each of which
 * has to be found. Words in the arguments choose by file and name. `--record` writes the walks that the tests play instead.
 */
import { Unavailable } from '../test/unavailable.mjs';
import { Explorer } from './explorer.mjs';
import { MODELS, variantOf } from './models.mjs';
import { findSpin } from './spin.finder.mjs';
import { readModel, recordWalks } from './walks.mjs';

/** @typedef {import('./explorer.mjs').Exploration} Exploration */
/** @typedef {import('./models.mjs').Variant} Variant */

const words = process.argv.slice(2).filter((word) => word !== '--record');
const isRecording = process.argv.includes('--record');

const tools = await findSpin().catch((/** @type {unknown} */ error) => {
  if (!(error instanceof Unavailable)) throw error;
  console.log(`SKIPPED: ${error.message}`);
  process.exit();
});
let done = 0;
let wrong = 0;

/**
 * @param {{ file: string, name: string }} variant
 */
function isChosen({ file, name }) {
  return words.every((word) => `${file} ${name}`.includes(word));
}

/** @param {Exploration} exploration */
function figures({ states, depth, memory, seconds }) {
  const count = (/** @type {number} */ number) => number.toLocaleString('en');
  return `${count(states)} states, depth ${count(depth)}, ${memory} MB, ${seconds} s`;
}

for (const model of MODELS) {
  const { file, about, explorations, mutations } = model;
  const text = await readModel(file);
  console.log(`${file}: ${about}`);
  for (const variant of explorations.filter(({ name }) => isChosen({ file, name }))) {
    done += 1;
    if (isRecording) {
      if (variant.walks !== undefined) await recordWalks(tools, model, variant);
      continue;
    }
    await Explorer.use(tools, variantOf(text, variant), async (explorer) => {
      const exploration = await explorer.explore();
      const { errors, trouble } = exploration;
      const isWhole = errors === 0 && trouble === undefined;
      if (!isWhole) wrong += 1;
      const verdict = isWhole ? 'no error' : `FAILED   ${trouble ?? `${errors} error(s)`}`;
      console.log(`  ${verdict}  ${variant.name}: ${figures(exploration)}`);
      for (const line of await explorer.trail()) console.log(`      ${line}`);
    });
  }
  for (const mutation of isRecording ? [] : mutations.filter(({ name }) => isChosen({ file, name }))) {
    await Explorer.use(tools, variantOf(text, mutation), async (explorer) => {
      done += 1;
      const { errors, states, trouble } = await explorer.findShort();
      const trail = await explorer.trail();
      const violated = trail.at(-1)?.replace('VIOLATED: ', '') ?? '';
      const isCaught = errors > 0 && [mutation.violates].flat().includes(violated);
      if (!isCaught) wrong += 1;
      const verdict = isCaught ? 'caught  ' : 'NOT CAUGHT';
      const found = trouble ?? `${trail.length - 1} transitions, after ${states.toLocaleString('en')} states`;
      console.log(`  ${verdict}  ${mutation.name}: ${found}`);
      for (const line of trail) console.log(`      ${line}`);
    });
  }
}
console.log(`${done - wrong} of ${done} explorations as expected`);
if (wrong > 0 || done === 0) process.exitCode = 1;
