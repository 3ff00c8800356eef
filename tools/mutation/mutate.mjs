/**
 * Breaks the library on purpose, one promise at a time, in a copy, and shows that a named test notices each.
 * Usage: npm run test:mutations [-- --only "no tick mark"]
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { MUTATIONS } from './mutations.mjs';

const run = promisify(execFile);
const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = MUTATIONS.filter(({ what }) => values.only === undefined || what === values.only);

const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
try {
  await copySources();
  let missed = 0;
  for (const mutation of chosen) {
    const clean = await passes(mutation);
    const mutant = await whileMutated(mutation, () => passes(mutation));
    const noticed = clean && !mutant;
    if (!noticed) missed += 1;
    const verdict = noticed ? 'noticed' : clean ? 'NOT NOTICED' : 'FAILS ON THE CLEAN COPY';
    console.log(`${verdict.padEnd(12)} ${mutation.what.padEnd(54)} ${mutation.test}`);
  }
  console.log(`${chosen.length - missed} of ${chosen.length} mutations noticed`);
  process.exitCode = missed === 0 && chosen.length > 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

async function copySources() {
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate']);
  for (const file of stdout.split('\n').filter((path) => path !== '' && existsSync(path))) {
    const target = join(copy, file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target, { force: true });
  }
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
}

/**
 * @template T
 * @param {import('./mutations.mjs').Mutation} mutation
 * @param {() => Promise<T>} look
 */
async function whileMutated({ what, file, from, to }, look) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(from).length !== 2)
    throw new Error(`"${what}": the text to change does not stand once in ${file}`);
  writeFileSync(path, source.replace(from, to));
  try {
    return await look();
  } finally {
    writeFileSync(path, source);
  }
}

/** @param {import('./mutations.mjs').Mutation} mutation */
async function passes({ spec, test }) {
  await run(process.execPath, ['tools/build/build.mjs'], { cwd: copy });
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const pattern = `${test.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
  try {
    const report = ['--reporter=json', '--project=integration'];
    const { stdout } = await run(process.execPath, [vitest, 'run', spec, '-t', pattern, ...report], {
      cwd: copy,
    });
    const passed = Number(/"numPassedTests":(?<passed>\d+)/.exec(stdout)?.groups?.['passed'] ?? 0);
    if (passed === 0) throw new Error(`no test "${test}" in ${spec}`);
    return true;
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return false;
    throw error;
  }
}
