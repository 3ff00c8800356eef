/**
 * Proves that tests find what they are there for: puts one defect after the other into a copy of the sources, and runs
 * the test that has to fail, which has to pass without it. Words in the arguments choose mutations by their names.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { MUTATIONS } from './mutations.mjs';
import { SourceCopy } from './source.copy.mjs';

/** @typedef {import('./mutations.mjs').Mutation} Mutation */

const chosen = MUTATIONS.filter(({ name }) => process.argv.slice(2).every((word) => name.includes(word)));
const copy = await SourceCopy.make();
/** @type {string[]} */
const rows = [];
let wrong = 0;
try {
  for (const mutation of chosen) {
    const clean = await run(mutation);
    const restore = await copy.mutate(mutation);
    const mutant = await run(mutation);
    await restore();
    const found = clean === 'passed' && mutant === 'failed';
    if (!found) wrong += 1;
    const { name, spec, test } = mutation;
    rows.push(
      `${found ? 'found    ' : 'NOT FOUND'} ${name.padEnd(53)} clean ${clean}, mutant ${mutant}: ${spec} > ${test}`,
    );
    console.log(rows.at(-1));
  }
} finally {
  await copy.remove();
}
console.log(`${rows.length - wrong} of ${rows.length} mutations found by their tests`);
if (wrong > 0 || chosen.length === 0) process.exitCode = 1;

/**
 * @param {Mutation} mutation
 * @returns {Promise<string>} `passed`, `failed`, or why the test says nothing
 */
async function run({ project = 'integration', spec, test, steps }) {
  const report = copy.at('report.json');
  const pattern = `^${test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  const reporters = ['--reporter=json', `--outputFile=${report}`];
  const args = ['run', '--project', project, spec, '-t', pattern, '--root', copy.folder, ...reporters];
  const output = await vitest(args, steps === undefined ? {} : { MODEL_STEPS: String(steps) });
  const { testResults = [] } = JSON.parse(await readFile(report, 'utf8').catch(() => '{}'));
  /** @type {{ fullName: string, status: string }[]} */
  const tests = testResults.flatMap((/** @type {{ assertionResults: [] }} */ file) => file.assertionResults);
  const results = tests.filter(({ fullName }) => fullName === test).map(({ status }) => status);
  if (results.length === 1 && results[0] !== undefined) return results[0];
  return `${results.length} tests of that name\n${output}`;
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} variables of the environment
 * @returns {Promise<string>} what it printed
 */
function vitest(args, variables) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [copy.at('node_modules/vitest/vitest.mjs'), ...args], {
      cwd: copy.folder,
      env: { ...process.env, ...variables },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
    child.once('close', () => resolve(output));
  });
}
