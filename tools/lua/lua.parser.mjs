import { parse } from 'luaparse';

/** @typedef {import('luaparse').Node} Node */
/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {{ readonly text: string, readonly start: number, readonly end: number, readonly line: number }} Token */

/** The version that Redis runs. */
const OPTIONS = /** @type {const} */ ({ luaVersion: '5.1', comments: false, locations: true, ranges: true });

/** A source that is no Lua 5.1, or has what scripts do without. */
export class LuaSyntaxError extends Error {
  /**
   * @param {number} line
   * @param {string} message
   */
  constructor(line, message) {
    super(message);
    this.name = 'LuaSyntaxError';
    this.line = line;
  }
}

/**
 * The statements of a script. The value of a string is its bytes, one character each.
 * @param {string} source
 * @throws {LuaSyntaxError}
 */
export function parseLua(source) {
  const bytes = Buffer.from(source, 'utf8').toString('latin1');
  const closings = tokenize(bytes).filter(({ text }) => text === ')');
  /** @param {Node} node */
  const onCreateNode = (node) => {
    refuseForm(node);
    const last = lastOf(node);
    if (last?.type !== 'CallExpression') return;
    const [from, to] = [last.range?.[1] ?? 0, node.range?.[1] ?? 0];
    const behind = closings.filter(({ start }) => start >= from && start < to).length;
    last.isSingle = behind > (node.type === 'CallExpression' ? 1 : 0);
  };
  return attempt(() => parse(bytes, { ...OPTIONS, encodingMode: 'pseudo-latin1', onCreateNode }).body);
}

/**
 * The tokens of Lua 5.1, without comments.
 * @param {string} source
 * @returns {Token[]}
 * @throws {LuaSyntaxError}
 */
export function tokenize(source) {
  return attempt(() => {
    /** @type {Token[]} */
    const tokens = [];
    const lexer = parse(source, { ...OPTIONS, wait: true });
    for (;;) {
      const { line, range } = lexer.lex();
      const [start, end] = range;
      if (start >= source.length) return tokens;
      tokens.push({ text: source.slice(start, end), start, end, line });
    }
  });
}

/**
 * The line that a node begins on.
 * @param {Node} node
 */
export function lineOf({ loc }) {
  return loc?.start.line ?? 1;
}

/**
 * @param {Node} node
 * @param {string} message
 * @returns {never}
 */
export function refuse(node, message) {
  throw new LuaSyntaxError(lineOf(node), message);
}

/** @param {Node} node */
function refuseForm(node) {
  if (node.type === 'TableCallExpression' || node.type === 'StringCallExpression')
    refuse(node, 'write the argument of a call in parentheses');
  if (node.type === 'FunctionDeclaration' && node.identifier && !node.isLocal)
    refuse(node, `make the function "${'name' in node.identifier ? node.identifier.name : ''}" local`);
}

/**
 * The last of the expressions that a node takes all values of; in parentheses, a call gives only the first.
 * @param {Node} node
 * @returns {Expression | undefined}
 */
function lastOf(node) {
  switch (node.type) {
    case 'CallExpression':
    case 'ReturnStatement':
      return node.arguments.at(-1);
    case 'LocalStatement':
    case 'AssignmentStatement':
      return node.init.at(-1);
    case 'TableValue':
      return node.value;
    default:
      return undefined;
  }
}

/**
 * @template T
 * @param {() => T} read
 */
function attempt(read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('line' in error)) throw error;
    throw new LuaSyntaxError(Number(error.line), error.message.replace(/^\[\d+:\d+\] /, ''));
  }
}
