import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateTypeScript } from './script.generator.mjs';
import { readScripts } from './script.reader.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARGET = join(ROOT, 'libs/distributed-lock/src/scripts/generated/lua.scripts.ts');

/**
 * Embeds lua/ into the library.
 * @param {{ check: boolean }} mode `check` writes nothing and fails when the file is stale
 * @returns {Promise<boolean>} whether all is well
 */
export async function embedLua({ check }) {
  const { scripts, parts, refusals } = await readScripts(join(ROOT, 'lua'));
  if (refusals.length > 0) {
    console.error(
      `${refusals.join('\n')}\n${refusals.length} problem(s) in Lua scripts: nothing was written`,
    );
    return false;
  }
  const wanted = generateTypeScript(scripts, parts);
  const present = await readFile(TARGET, 'utf8').catch(() => '');
  const name = relative(ROOT, TARGET);
  if (wanted === present) {
    console.log(`${name} is up to date (${scripts.length} scripts)`);
    return true;
  }
  if (check) {
    console.error(`${name} is stale: run "npm run build:lua" and commit it`);
    return false;
  }
  await mkdir(dirname(TARGET), { recursive: true });
  await writeFile(TARGET, wanted);
  console.log(`${name} written (${scripts.length} scripts)`);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!(await embedLua({ check: process.argv.includes('--check') }))) process.exitCode = 1;
}
