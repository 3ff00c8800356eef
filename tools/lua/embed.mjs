/**
 * Embeds lua/ into the library: as text for Redis, as functions for the memory store. The files are not committed; they carry the
 * fingerprint of what they were made of, so a build, a type check and a test run make them again when they are stale.
 * "--check" only compares, "--stale" makes what is stale, "--prepare" does so at the end of an installation.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from './source.fingerprint.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EMBEDDED = 'libs/distributed-lock/src/scripts/generated/lua.scripts.ts';
const COMPILED = 'libs/distributed-lock/src/memory/generated/memory.scripts.ts';

/** @typedef {{ target: string, wanted: string }} Generated */

/**
 * @param {object} [options]
 * @param {boolean} [options.check] writes nothing, and fails when a file is not what its sources give
 * @param {boolean} [options.always] does not take files for good that carry the fingerprint of their sources
 * @param {string} [options.root] the repository
 * @param {(line: string) => void} [options.print]
 * @returns {Promise<boolean>} whether all is well
 */
export async function embedLua({ check = false, always = false, root = ROOT, print = console.log } = {}) {
  const head = `// Made from lua/ by "npm run build:lua": change the scripts there. ${await fingerprintOf(join(root, 'lua'))}\n`;
  if (!check && !always && (await areMade(root, head))) {
    print('the embedded Lua scripts are up to date');
    return true;
  }
  const { files, refusals, count } = await generate(root, head);
  if (refusals.length > 0) {
    console.error(
      `${refusals.join('\n')}\n${refusals.length} problem(s) in Lua scripts: nothing was written`,
    );
    return false;
  }
  if (!check) {
    for (const { target, wanted } of files) await replace(join(root, target), wanted);
    print(`${count} Lua scripts embedded`);
    return true;
  }
  const stale = [];
  for (const { target, wanted } of files)
    if (wanted !== (await readText(join(root, target)))) stale.push(target);
  for (const target of stale) console.error(`${target} is not what lua/ gives: run "npm run build:lua"`);
  if (stale.length === 0) print(`${count} Lua scripts keep their headers, and are embedded as they are`);
  return stale.length === 0;
}

/**
 * @param {string} root
 * @param {string} head
 */
async function areMade(root, head) {
  const texts = await Promise.all([EMBEDDED, COMPILED].map((target) => readText(join(root, target))));
  return texts.every((text) => text.startsWith(head));
}

/**
 * @param {string} root
 * @param {string} head
 * @returns {Promise<{ files: Generated[], refusals: string[], count: number }>}
 */
async function generate(root, head) {
  // They need development dependencies, which embedded scripts can do without.
  const [{ readScripts }, { generateTypeScript }, { generateMemoryScripts }] = await Promise.all([
    import('./script.reader.mjs'),
    import('./script.generator.mjs'),
    import('./memory.generator.mjs'),
  ]);
  const { scripts, parts, refusals } = await readScripts(join(root, 'lua'));
  const compiled = generateMemoryScripts(scripts, parts);
  const files = [
    { target: EMBEDDED, wanted: head + generateTypeScript(scripts, parts) },
    { target: COMPILED, wanted: head + compiled.text },
  ];
  return { files, refusals: [...refusals, ...compiled.refusals], count: scripts.length };
}

/** @param {string} path */
function readText(path) {
  return readFile(path, 'utf8').catch(() => '');
}

/**
 * Another process may be reading the file, or writing it as well.
 * @param {string} target
 * @param {string} text
 */
async function replace(target, text) {
  if (text === (await readText(target))) return;
  const written = `${target}.${process.pid}`;
  await mkdir(dirname(target), { recursive: true });
  await writeFile(written, text);
  await rename(written, target);
}

/** @param {unknown} error */
function lacksDependency(error) {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const [mode] = process.argv.slice(2);
    const embedded = await embedLua({ check: mode === '--check', always: mode === undefined });
    if (!embedded) process.exitCode = 1;
  } catch (error) {
    if (!lacksDependency(error)) throw error;
    console.error(
      'lua/ is not embedded: that needs the development dependencies, which are not installed ("npm ci" without --omit=dev)',
    );
    // An installation that leaves them out wants neither to build nor to test.
    if (!process.argv.includes('--prepare')) process.exitCode = 1;
  }
}
