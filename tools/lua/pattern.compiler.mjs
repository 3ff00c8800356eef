import { hexOf } from './lua.text.mjs';

/** @type {Readonly<Record<string, string>>} */
const CLASSES = { d: '0-9', s: '\\t-\\r ', x: '0-9a-fA-F', a: 'a-zA-Z', l: 'a-z', u: 'A-Z', w: '0-9a-zA-Z' };
const QUANTIFIERS = new Map([
  ['*', '*'],
  ['+', '+'],
  ['?', '?'],
  ['-', '*?'],
]);

/** A pattern of Lua that has no counterpart here. */
export class PatternError extends Error {}

/**
 * The regular expression for a Lua pattern over bytes. What means something else there, or nothing, is refused.
 * @param {string} pattern its bytes
 * @returns {string} between slashes
 * @throws {PatternError}
 */
export function compilePattern(pattern) {
  const reader = new PatternReader(pattern);
  return `/${reader.whole()}/`;
}

class PatternReader {
  #at = 0;
  #depth = 0;

  /** @param {string} pattern */
  constructor(pattern) {
    this.pattern = pattern;
  }

  whole() {
    let regex = this.#take('^') ? '^' : '';
    while (this.#at < this.pattern.length) regex += this.#item();
    if (this.#depth > 0) this.#refuse('a capture that is not closed');
    return regex;
  }

  #item() {
    if (this.#take('(')) {
      if (this.pattern[this.#at] === ')') this.#refuse('a capture of a position');
      this.#depth += 1;
      return '(';
    }
    if (this.#take(')')) {
      this.#depth -= 1;
      if (this.#depth < 0) this.#refuse('")" without "("');
      return ')';
    }
    if (this.pattern.slice(this.#at) === '$') {
      this.#at += 1;
      return '$';
    }
    const single = this.#single();
    const quantifier = QUANTIFIERS.get(this.pattern[this.#at] ?? '');
    if (quantifier === undefined) return single;
    this.#at += 1;
    return single + quantifier;
  }

  #single() {
    if (this.#take('.')) return '[\\s\\S]';
    if (this.#take('[')) return this.#set();
    if (this.#take('%')) {
      const { inside, isNegated } = this.#escaped();
      return `[${isNegated ? '^' : ''}${inside}]`;
    }
    return literal(this.#next());
  }

  #set() {
    let inside = this.#take('^') ? '^' : '';
    for (let isFirst = true; isFirst || !this.#take(']'); isFirst = false) {
      if (this.#take('%')) {
        const escaped = this.#escaped();
        if (escaped.isNegated) this.#refuse('a negated class inside a set');
        inside += escaped.inside;
        continue;
      }
      inside += literal(this.#next());
      const isRange = this.pattern[this.#at] === '-' && this.pattern[this.#at + 1] !== ']';
      if (isRange && this.#take('-')) inside += `-${literal(this.#next())}`;
    }
    return `[${inside}]`;
  }

  #escaped() {
    const character = this.#next();
    if (!/[a-zA-Z0-9]/.test(character)) return { inside: literal(character), isNegated: false };
    const inside = CLASSES[character.toLowerCase()];
    if (inside === undefined) this.#refuse(`"%${character}"`);
    return { inside, isNegated: character !== character.toLowerCase() };
  }

  /** @param {string} character */
  #take(character) {
    if (this.pattern[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #next() {
    const character = this.pattern[this.#at];
    if (character === undefined) return this.#refuse('an end in the middle');
    this.#at += 1;
    return character;
  }

  /**
   * @param {string} what
   * @returns {never}
   */
  #refuse(what) {
    throw new PatternError(`${what} in the pattern "${this.pattern}" is not supported`);
  }
}

/** @param {string} character */
function literal(character) {
  return /[a-zA-Z0-9 :_@]/.test(character) ? character : hexOf(character);
}
