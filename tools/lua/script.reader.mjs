import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBody } from './body.checker.mjs';
import { parseHeader } from './header.parser.mjs';
import { LuaSyntaxError } from './lua.lexer.mjs';
import { compactLua } from './script.compactor.mjs';
import { parseLua } from './statement.parser.mjs';

/** @typedef {import('./lua.types.js').Problem} Problem */
/** @typedef {import('./lua.types.js').Script} Script */

const FILE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.lua$/;
const FOLDER = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/**
 * Reads and checks one script.
 * @param {string} name `<kind>/<verb>`
 * @param {string} source
 * @returns {{ script: Script | null, problems: Problem[] }} no script where there are problems
 */
export function readScript(name, source) {
  try {
    const { header, problems } = parseHeader(source);
    problems.push(...checkBody(parseLua(source), header));
    if (problems.length > 0) return { script: null, problems };
    const text = compactLua(source);
    const sha1 = createHash('sha1').update(text, 'utf8').digest('hex');
    return { script: { name, header, text, sha1 }, problems };
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return { script: null, problems: [{ line: error.line, message: error.message }] };
  }
}

/**
 * Reads every script of a folder, in the order of their names.
 * @param {string} folder
 * @returns {Promise<{ scripts: Script[], refusals: string[] }>} refusals as `file:line message`
 */
export async function readScripts(folder) {
  /** @type {Script[]} */
  const scripts = [];
  /** @type {string[]} */
  const refusals = [];
  for (const kind of (await readdir(folder, { withFileTypes: true })).toSorted(byName)) {
    if (!kind.isDirectory() || !FOLDER.test(kind.name)) {
      refusals.push(`lua/${kind.name}:1 only folders named by a lock kind stand here`);
      continue;
    }
    for (const file of (await readdir(join(folder, kind.name), { withFileTypes: true })).toSorted(byName)) {
      const path = `lua/${kind.name}/${file.name}`;
      if (!file.isFile() || !FILE.test(file.name)) {
        refusals.push(`${path}:1 a script is a file <verb>.lua in lower case`);
        continue;
      }
      const source = await readFile(join(folder, kind.name, file.name), 'utf8');
      const { script, problems } = readScript(`${kind.name}/${file.name.slice(0, -'.lua'.length)}`, source);
      if (script) scripts.push(script);
      refusals.push(...problems.map(({ line, message }) => `${path}:${line} ${message}`));
    }
  }
  return { scripts, refusals };
}

/**
 * @param {{ name: string }} a
 * @param {{ name: string }} b
 */
function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}
