import { LuaSyntaxError, tokenize } from './lua.lexer.mjs';

/** Walks over the tokens of one source. */
export class TokenReader {
  #tokens;
  #at = 0;

  /** @param {string} source */
  constructor(source) {
    this.#tokens = tokenize(source);
  }

  /** @param {number} [ahead] */
  peek(ahead = 0) {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (!token) throw new Error('no tokens');
    return token;
  }

  next() {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  /**
   * Whether the next token is this keyword or symbol.
   * @param {...string} texts
   */
  is(...texts) {
    const { type, text } = this.peek();
    return (type === 'keyword' || type === 'symbol') && texts.includes(text);
  }

  /**
   * Takes the next token if it is this keyword or symbol.
   * @param {string} text
   */
  take(text) {
    if (!this.is(text)) return false;
    this.next();
    return true;
  }

  /** @param {string} text */
  expect(text) {
    if (!this.take(text)) this.fail(`expected "${text}"`);
  }

  name() {
    if (this.peek().type !== 'name') this.fail('expected a name');
    return this.next().text;
  }

  /**
   * @param {string} message
   * @returns {never}
   */
  fail(message) {
    const { line, text, type } = this.peek();
    throw new LuaSyntaxError(
      line,
      `${message}, found ${type === 'end' ? 'the end of the script' : `"${text}"`}`,
    );
  }
}
