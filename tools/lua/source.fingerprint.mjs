import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = fileURLToPath(new URL('.', import.meta.url));

/**
 * A digest of all that the embedded scripts are made of: the scripts, and the tools that embed them.
 * @param {string} folder `lua/`
 */
export async function fingerprintOf(folder) {
  const hash = createHash('sha1');
  const scripts = await filesOf(folder, '.lua');
  const tools = await filesOf(TOOLS, '.mjs');
  const texts = await Promise.all([...scripts, ...tools].map(({ path }) => readFile(path)));
  [...scripts, ...tools].forEach(({ name }, at) => hash.update(`${name}\0`).update(texts[at] ?? ''));
  return hash.digest('hex');
}

/**
 * @param {string} folder
 * @param {string} ending
 */
async function filesOf(folder, ending) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(ending));
  return names
    .map((name) => ({ name: name.replaceAll('\\', '/'), path: join(folder, name) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
