import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBody } from './body.checker.mjs';
import { isVector, nameOf } from './expression.facts.mjs';
import { parseHeader } from './header.parser.mjs';
import { lineOf, LuaSyntaxError, parseLua, tokenize } from './lua.parser.mjs';
import { PartBook } from './part.book.mjs';
import { compactLua } from './script.compactor.mjs';

/** @typedef {import('luaparse').Statement} Statement */
/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Problem} Problem */

const FILE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*\.lua$/;
const DEFINITION = /^local function (\w+)/gm;
const PUBLIC = /^-- @public$/m;
const EMPTY = parseHeader('').header;

/**
 * Reads and checks the parts of one file: local functions, each with the comment right above it.
 * @param {string} file its name
 * @param {string} source
 * @param {readonly string[]} [all] the names of all parts, which each of them may call
 * @returns {{ parts: Part[], problems: Problem[] }} without those that have problems
 */
export function readPartFile(file, source, all = namesOf(source)) {
  try {
    const problems = checkVectors(source);
    const statements = parseLua(source);
    if (statements.length === 0) problems.push({ line: 1, message: 'the file has no part' });
    /** @type {Part[]} */
    const parts = [];
    for (const statement of statements) {
      const { part, refused } = readPart(statement, source, all);
      if (part && parts.some(({ name }) => name === part.name))
        refused.push({ line: part.line, message: `"${part.name}" is defined twice` });
      problems.push(...refused);
      if (part && refused.length === 0) parts.push({ ...part, file });
    }
    return { parts, problems: problems.toSorted((a, b) => a.line - b.line) };
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return { parts: [], problems: [{ line: error.line, message: error.message }] };
  }
}

/**
 * @param {Statement} statement
 * @param {string} source of its file
 * @param {readonly string[]} all
 * @returns {{ part: Omit<Part, 'file'> | null, refused: Problem[] }}
 */
function readPart(statement, source, all) {
  const line = lineOf(statement);
  if (statement.type !== 'FunctionDeclaration')
    return {
      part: null,
      refused: [{ line, message: 'a file of parts has local functions, and nothing else' }],
    };
  const name = nameOf(statement.identifier);
  const lines = source.split('\n');
  const comment = commentAbove(lines, line);
  const others = all.filter((other) => other !== name);
  const book = new PartBook(
    others.map((other) => ({ name: other, line })),
    new Map(others.map((other) => [other, { text: '', needs: new Set() }])),
  );
  const refused = [...checkComment(comment, name, line), ...checkBody([statement], EMPTY, book)];
  const isPublic = PUBLIC.test(comment.join('\n'));
  const [need] = book.used;
  if (isPublic && need !== undefined)
    refused.push({ line, message: `a public part stands on its own, and cannot call "${need}"` });
  const text = compactLua(lines.slice(line - 1, statement.loc?.end.line).join('\n'));
  const { description } = parseHeader(comment.join('\n')).header;
  return { part: { name, line, text, isPublic, description, needs: book.used, body: [statement] }, refused };
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
  const sources = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const all = sources.flatMap(namesOf);
  for (const [at, file] of files.entries()) {
    if (!FILE.test(file)) {
      refusals.push(`lua/parts/${file}:1 parts stand in a file <family>.lua in lower case`);
      continue;
    }
    const { parts: found, problems } = readPartFile(file, sources[at] ?? '', all);
    for (const part of found) {
      if (parts.has(part.name))
        problems.push({ line: part.line, message: `"${part.name}" is defined in another file, too` });
      else parts.set(part.name, part);
    }
    refusals.push(...problems.map(({ line, message }) => `lua/parts/${file}:${line} ${message}`));
  }
  return { parts, refusals };
}

/** @param {string} source */
function namesOf(source) {
  return [...source.matchAll(DEFINITION)].map(([, name = '']) => name);
}

/**
 * The comment that ends right above a line.
 * @param {readonly string[]} lines
 * @param {number} line counts from 1
 */
function commentAbove(lines, line) {
  const above = lines.slice(0, line - 1);
  return above.slice(above.findLastIndex((text) => !text.startsWith('--')) + 1);
}

/**
 * @param {readonly string[]} comment
 * @param {string} name the function's
 * @param {number} line the function's
 * @returns {Problem[]}
 */
function checkComment(comment, name, line) {
  const { description } = parseHeader(comment.join('\n')).header;
  /** @type {Problem[]} */
  const problems =
    description.length > 0 ? [] : [{ line, message: `no comment right above "${name}" says what it does` }];
  for (const [index, text] of comment.entries()) {
    if (!/^-- *@/.test(text) || PUBLIC.test(text)) continue;
    problems.push({
      line: line - comment.length + index,
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
