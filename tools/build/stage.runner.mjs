import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './node.runner.mjs';

/** What every stage depends on. */
const COMMON = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'nest-cli.json', 'tools/build'];

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {readonly string[]} inputs files and folders, from the root
 * @property {readonly string[]} outputs folders, from the root
 * @property {() => Promise<boolean>} run whether it worked
 */

/**
 * Runs a stage unless its inputs and the names of its outputs are those of its last good run.
 * @param {Stage} stage
 */
export async function runStage({ name, inputs, outputs, run }) {
  const stamp = join(ROOT, 'dist/.stamps', name);
  const wanted = await fingerprint([...COMMON, ...inputs]);
  const present = await readFile(stamp, 'utf8').catch(() => '');
  if (present === `${wanted} ${await listing(outputs)}`) return true;
  await rm(stamp, { force: true });
  if (!(await run())) return false;
  await mkdir(dirname(stamp), { recursive: true });
  await writeFile(stamp, `${wanted} ${await listing(outputs)}`);
  return true;
}

/** @param {readonly string[]} paths */
async function fingerprint(paths) {
  const hash = createHash('sha1');
  for (const file of (await Promise.all(paths.map(filesOf))).flat()) {
    hash.update(file).update(await readFile(join(ROOT, file)));
  }
  return hash.digest('hex');
}

/** @param {readonly string[]} folders */
async function listing(folders) {
  const files = (await Promise.all(folders.map(filesOf))).flat();
  return createHash('sha1').update(files.join('\n')).digest('hex');
}

/**
 * @param {string} path
 * @returns {Promise<string[]>} its files, sorted; none where it does not exist
 */
async function filesOf(path) {
  const found = await stat(join(ROOT, path)).catch(() => null);
  if (!found) return [];
  if (found.isFile()) return [path];
  const entries = await readdir(join(ROOT, path), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
    .toSorted();
}
