import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBody, checkFront } from './body.checker.mjs';
import { parseHeader } from './header.parser.mjs';
import { LuaSyntaxError, parseLua } from './lua.parser.mjs';
import { PartBook } from './part.book.mjs';
import { readParts } from './part.reader.mjs';
import { compactLua } from './script.compactor.mjs';

/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Problem} Problem */
/** @typedef {import('./lua.types.js').Script} Script */

const FILE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.lua$/;
/**
 * Where a script has its parts, if not in front of it. A call makes each of its functions anew: what an operation that comes alone
 * can do without them stands above.
 */
const PARTS_HERE = '-- @parts';
/** The folder of what scripts share; it is no lock kind. */
const PARTS = 'parts';
const FOLDER = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/**
 * Reads and checks one script.
 * @param {string} name `<kind>/<verb>`
 * @param {string} source
 * @param {ReadonlyMap<string, Part>} [parts] what it may include
 * @returns {{ script: Script | null, problems: Problem[] }} no script where there are problems
 */
export function readScript(name, source, parts = new Map()) {
  try {
    const { header, problems } = parseHeader(source);
    const { front, rest } = divide(source);
    const book = new PartBook(header.includes, parts);
    problems.push(...checkBody(parseLua(rest), header, book), ...book.problems());
    if (front !== undefined) problems.push(...checkFront(parseLua(front), header));
    if (problems.length > 0) return { script: null, problems };
    const pieces = [
      ...(front === undefined ? [] : [{ own: compactLua(front) }]),
      ...header.includes.map((include) => ({ part: include.name })),
      { own: compactLua(rest) },
    ];
    const text = pieces.map((piece) => book.textOf(piece)).join('\n');
    const body = parseLua(source);
    const sha1 = createHash('sha1').update(text, 'utf8').digest('hex');
    return { script: { name, header, pieces, text, sha1, body }, problems };
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return { script: null, problems: [{ line: error.line, message: error.message }] };
  }
}

/**
 * What stands in front of the parts, if anything does, and what stands behind them. Neither moves to another line.
 * @param {string} source
 */
function divide(source) {
  const lines = source.split('\n');
  const at = lines.indexOf(PARTS_HERE);
  if (at === -1) return { front: undefined, rest: source };
  const above = lines.slice(0, at);
  return { front: above.join('\n'), rest: [...above.map(() => ''), ...lines.slice(at)].join('\n') };
}

/**
 * Reads every script of a folder and the parts that they share, in the order of their names.
 * @param {string} folder
 * @returns {Promise<{ scripts: Script[], parts: Part[], refusals: string[] }>} refusals as `file:line message`
 */
export async function readScripts(folder) {
  /** @type {Script[]} */
  const scripts = [];
  const { parts, refusals } = await readParts(join(folder, PARTS));
  for (const kind of (await readdir(folder, { withFileTypes: true })).toSorted(byName)) {
    if (kind.name === PARTS) continue;
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
      const name = `${kind.name}/${file.name.slice(0, -'.lua'.length)}`;
      const { script, problems } = readScript(name, source, parts);
      if (script) scripts.push(script);
      refusals.push(...problems.map(({ line, message }) => `${path}:${line} ${message}`));
    }
  }
  return { scripts, parts: [...parts.values()], refusals };
}

/**
 * @param {{ name: string }} a
 * @param {{ name: string }} b
 */
function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}
