import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateMemoryScripts } from './memory.generator.mjs';
import { generateTypeScript } from './script.generator.mjs';
import { readScripts } from './script.reader.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'libs/distributed-lock/src');
const EMBEDDED = join(SOURCE, 'scripts/generated/lua.scripts.ts');
const COMPILED = join(SOURCE, 'memory/generated/memory.scripts.ts');

/**
 * Embeds lua/ into the library: as text for Redis, as functions for the memory store.
 * @param {{ check: boolean }} mode `check` writes nothing and fails when a file is stale
 * @returns {Promise<boolean>} whether all is well
 */
export async function embedLua({ check }) {
  const { scripts, parts, refusals } = await readScripts(join(ROOT, 'lua'));
  const compiled = generateMemoryScripts(scripts, parts);
  refusals.push(...compiled.refusals);
  if (refusals.length > 0) {
    console.error(
      `${refusals.join('\n')}\n${refusals.length} problem(s) in Lua scripts: nothing was written`,
    );
    return false;
  }
  const files = [
    { target: EMBEDDED, wanted: generateTypeScript(scripts, parts) },
    { target: COMPILED, wanted: compiled.text },
  ];
  /** @type {boolean[]} */
  const fresh = [];
  for (const file of files) fresh.push(await refresh(file, scripts.length, check));
  return fresh.every(Boolean);
}

/**
 * @param {{ target: string, wanted: string }} file
 * @param {number} count of the scripts in it
 * @param {boolean} check
 */
async function refresh({ target, wanted }, count, check) {
  const present = await readFile(target, 'utf8').catch(() => '');
  const name = relative(ROOT, target);
  if (wanted === present) {
    console.log(`${name} is up to date (${count} scripts)`);
    return true;
  }
  if (check) {
    console.error(`${name} is stale: run "npm run build:lua" and commit it`);
    return false;
  }
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, wanted);
  console.log(`${name} written (${count} scripts)`);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!(await embedLua({ check: process.argv.includes('--check') }))) process.exitCode = 1;
}
