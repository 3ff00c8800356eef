/** @typedef {import('./lua.types.js').Token} Token */

const KEYWORDS = new Set(
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);
const SPACE = /\s+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const SHORT_STRING = /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y;
const LONG_OPEN = /\[(=*)\[/y;
const SYMBOL = /\.\.\.|\.\.|==|~=|<=|>=|[-+*/%^#<>=(){}[\];:,.]/y;

/** A source that is no Lua 5.1. */
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
 * Splits Lua 5.1 into tokens; white space and comments are left out.
 * @param {string} source
 * @returns {Token[]} ends with a token of type `end`
 */
export function tokenize(source) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  let line = 1;

  /** @param {RegExp} pattern */
  const match = (pattern) => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  /** @param {number} end */
  const skipTo = (end) => {
    for (let i = at; i < end; i += 1) if (source[i] === '\n') line += 1;
    at = end;
  };
  /** @param {string} opening */
  const longEnd = (opening) => {
    const closing = opening.replaceAll('[', ']');
    const found = source.indexOf(closing, at + opening.length);
    if (found < 0) throw new LuaSyntaxError(line, `"${opening}" is never closed`);
    return found + closing.length;
  };
  /**
   * @param {Token['type']} type
   * @param {number} end
   */
  const push = (type, end) => {
    tokens.push({ type, text: source.slice(at, end), start: at, end, line });
    skipTo(end);
  };

  while (at < source.length) {
    const space = match(SPACE);
    if (space) {
      skipTo(at + space[0].length);
      continue;
    }
    if (source.startsWith('--', at)) {
      at += 2;
      const long = match(LONG_OPEN);
      const newline = source.indexOf('\n', at);
      skipTo(long ? longEnd(long[0]) : newline < 0 ? source.length : newline);
      continue;
    }
    const long = match(LONG_OPEN);
    if (long) {
      push('string', longEnd(long[0]));
      continue;
    }
    const found = matchToken(match);
    if (!found) throw new LuaSyntaxError(line, `unexpected character "${source[at]}"`);
    push(found.type, at + found.text.length);
  }
  tokens.push({ type: 'end', text: '', start: at, end: at, line });
  return tokens;
}

/**
 * @param {(pattern: RegExp) => RegExpExecArray | null} match
 * @returns {{ type: Token['type'], text: string } | null}
 */
function matchToken(match) {
  const name = match(NAME);
  if (name) return { type: KEYWORDS.has(name[0]) ? 'keyword' : 'name', text: name[0] };
  const number = match(NUMBER);
  if (number) return { type: 'number', text: number[0] };
  const string = match(SHORT_STRING);
  if (string) return { type: 'string', text: string[0] };
  const symbol = match(SYMBOL);
  return symbol ? { type: 'symbol', text: symbol[0] } : null;
}

/**
 * The text between a string token's quotes; escapes stay as written.
 * @param {string} text
 */
export function stringValue(text) {
  const long = /^\[(=*)\[/.exec(text);
  return long ? text.slice(long[0].length, -long[0].length) : text.slice(1, -1);
}
