import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBody } from './body.checker.mjs';
import { isVector, nameOf } from './expression.facts.mjs';
import { parseHeader } from './header.parser.mjs';
import { lineOf, LuaSyntaxError, parseLua, tokenize } from './lua.parser.mjs';
import { PartBook } from './part.book.mjs';
import { compactLua } from './script.compactor.mjs';
import { constantName } from './script.generator.mjs';

/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Problem} Problem */

const FILE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.lua$/;
const PUBLIC = /^-- @public$/m;
const EMPTY = parseHeader('').header;

/**
 * Reads and checks one part.
 * @param {string} name its function's
 * @param {string} source
 * @param {readonly string[]} [all] the names of all parts, which it may call
 * @returns {{ part: Part | null, problems: Problem[] }} no part where there are problems
 */
export function readPart(name, source, all = []) {
  try {
    const problems = [...checkComment(source), ...checkVectors(source)];
    const body = parseLua(source);
    const [first, second] = body;
    const wrong = second ?? first;
    if (first?.type !== 'FunctionDeclaration' || nameOf(first.identifier) !== name || second)
      problems.push({
        line: wrong ? lineOf(wrong) : 1,
        message: `a part is one "local function ${name}", and nothing else`,
      });
    if (problems.length > 0) return { part: null, problems };
    const others = all.filter((other) => other !== name);
    const book = new PartBook(
      others.map((other) => ({ name: other, line: 1 })),
      new Map(others.map((other) => [other, { text: '', needs: new Set() }])),
    );
    problems.push(...checkBody(body, EMPTY, book));
    const isPublic = PUBLIC.test(source);
    const [need] = book.used;
    if (isPublic && need !== undefined)
      problems.push({ line: 1, message: `a public part stands on its own, and cannot call "${need}"` });
    if (problems.length > 0) return { part: null, problems };
    const { description } = parseHeader(source).header;
    return {
      part: { name, text: compactLua(source), isPublic, description, needs: book.used, body },
      problems,
    };
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return { part: null, problems: [{ line: error.line, message: error.message }] };
  }
}

/**
 * Reads every part of a folder.
 * @param {string} folder
 * @returns {Promise<{ parts: Map<string, Part>, refusals: string[] }>} refusals as `file:line message`
 */
export async function readParts(folder) {
  /** @type {Map<string, Part>} */
  const parts = new Map();
  /** @type {string[]} */
  const refusals = [];
  const files = (await readdir(folder)).toSorted();
  const all = files.map(partName);
  for (const file of files) {
    if (!FILE.test(file)) {
      refusals.push(`lua/parts/${file}:1 a part is a file <name>.lua in lower case`);
      continue;
    }
    const { part, problems } = readPart(partName(file), await readFile(join(folder, file), 'utf8'), all);
    if (part) parts.set(part.name, part);
    refusals.push(...problems.map(({ line, message }) => `lua/parts/${file}:${line} ${message}`));
  }
  return { parts, refusals };
}

/** @param {string} file */
function partName(file) {
  return constantName(file.slice(0, -'.lua'.length));
}

/**
 * @param {string} source
 * @returns {Problem[]}
 */
function checkComment(source) {
  const { description } = parseHeader(source).header;
  /** @type {Problem[]} */
  const problems =
    description.length > 0 ? [] : [{ line: 1, message: 'the comment does not say what it does' }];
  for (const [index, text] of source.split('\n').entries()) {
    if (!/^-- *@/.test(text) || PUBLIC.test(text)) continue;
    problems.push({
      line: index + 1,
      message: 'a part declares nothing: that is for the scripts that include it',
    });
  }
  return problems;
}

/**
 * @param {string} source
 * @returns {Problem[]}
 */
function checkVectors(source) {
  return tokenize(source)
    .filter(({ text }) => isVector(text))
    .map(({ line, text }) => ({
      line,
      message: `a part has no ${text}: hand it what it needs as arguments`,
    }));
}
