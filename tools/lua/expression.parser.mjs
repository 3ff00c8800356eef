import { stringValue } from './lua.lexer.mjs';

/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {import('./lua.types.js').FunctionExpression} FunctionExpression */
/** @typedef {import('./lua.types.js').Statement} Statement */
/** @typedef {import('./token.reader.mjs').TokenReader} TokenReader */

/**
 * Left and right binding power of each binary operator; a lower right one makes it right-associative.
 * @type {Map<string, readonly [number, number]>}
 */
const POWERS = new Map([
  ['or', [1, 1]],
  ['and', [2, 2]],
  ['<', [3, 3]],
  ['>', [3, 3]],
  ['<=', [3, 3]],
  ['>=', [3, 3]],
  ['~=', [3, 3]],
  ['==', [3, 3]],
  ['..', [5, 4]],
  ['+', [6, 6]],
  ['-', [6, 6]],
  ['*', [7, 7]],
  ['/', [7, 7]],
  ['%', [7, 7]],
  ['^', [10, 9]],
]);
const UNARY_POWER = 8;

/** Reads expressions of Lua 5.1 by precedence climbing. */
export class ExpressionParser {
  /**
   * @param {TokenReader} reader
   * @param {() => Statement[]} parseBlock reads a function's body, up to its `end`
   */
  constructor(reader, parseBlock) {
    this.reader = reader;
    this.parseBlock = parseBlock;
  }

  /** @returns {Expression[]} */
  list() {
    const values = [this.expression()];
    while (this.reader.take(',')) values.push(this.expression());
    return values;
  }

  /**
   * @param {number} [limit]
   * @returns {Expression}
   */
  expression(limit = 0) {
    let left = this.#unary();
    for (;;) {
      const { text: operator, line, type } = this.reader.peek();
      const powers = type === 'string' ? undefined : POWERS.get(operator);
      if (!powers || powers[0] <= limit) return left;
      this.reader.next();
      left = { type: 'binary', operator, left, right: this.expression(powers[1]), line };
    }
  }

  /** @returns {Expression} */
  #unary() {
    const { text: operator, line } = this.reader.peek();
    if (!this.reader.is('not', '-', '#')) return this.#simple();
    this.reader.next();
    return { type: 'unary', operator, operand: this.expression(UNARY_POWER), line };
  }

  /** @returns {Expression} */
  #simple() {
    const { type, text, line } = this.reader.peek();
    if (type === 'number') {
      this.reader.next();
      return { type: 'number', value: Number(text), line };
    }
    if (type === 'string') {
      this.reader.next();
      return { type: 'string', value: stringValue(text), token: text, line };
    }
    if (this.reader.is('nil', 'true', 'false', '...')) {
      this.reader.next();
      return { type: 'constant', text, line };
    }
    if (this.reader.is('{')) return this.#table();
    if (this.reader.take('function')) return this.functionBody();
    return this.suffixed();
  }

  /**
   * A name or a parenthesis with its indexes and calls.
   * @returns {Expression}
   */
  suffixed() {
    const { line } = this.reader.peek();
    /** @type {Expression} */
    let value;
    if (this.reader.take('(')) {
      const inner = this.expression();
      value = inner.type === 'call' ? { ...inner, isSingle: true } : inner;
      this.reader.expect(')');
    } else {
      value = { type: 'name', name: this.reader.name(), line };
    }
    for (;;) {
      const suffix = this.#suffix(value);
      if (!suffix) return value;
      value = suffix;
    }
  }

  /**
   * @param {Expression} object
   * @returns {Expression | null}
   */
  #suffix(object) {
    const { line, type } = this.reader.peek();
    if (this.reader.take('.')) {
      return { type: 'index', object, key: { type: 'string', value: this.reader.name(), line }, line };
    }
    if (this.reader.take('[')) {
      const key = this.expression();
      this.reader.expect(']');
      return { type: 'index', object, key, line };
    }
    if (this.reader.take(':')) {
      const key = /** @type {const} */ ({ type: 'string', value: this.reader.name(), line });
      const callee = /** @type {const} */ ({ type: 'index', object, key, line });
      return { type: 'call', callee, args: this.#args(), isMethod: true, line };
    }
    return type === 'string' || this.reader.is('(', '{')
      ? { type: 'call', callee: object, args: this.#args(), line }
      : null;
  }

  /** @returns {Expression[]} */
  #args() {
    if (!this.reader.take('(')) return [this.#simple()];
    const args = this.reader.is(')') ? [] : this.list();
    this.reader.expect(')');
    return args;
  }

  /** @returns {Expression} */
  #table() {
    const { line } = this.reader.next();
    /** @type {import('./lua.types.js').Field[]} */
    const fields = [];
    while (!this.reader.take('}')) {
      /** @type {Expression | null} */
      let key = null;
      const first = this.reader.peek();
      if (this.reader.take('[')) {
        key = this.expression();
        this.reader.expect(']');
        this.reader.expect('=');
      } else if (first.type === 'name' && this.reader.peek(1).text === '=') {
        key = { type: 'string', value: this.reader.name(), line: first.line };
        this.reader.expect('=');
      }
      fields.push({ key, value: this.expression() });
      if (!this.reader.take(',') && !this.reader.take(';') && !this.reader.is('}'))
        this.reader.fail('expected "}"');
    }
    return { type: 'table', fields, line };
  }

  /** @returns {FunctionExpression} */
  functionBody() {
    const { line } = this.reader.peek();
    /** @type {string[]} */
    const params = [];
    let hasRest = false;
    this.reader.expect('(');
    while (!this.reader.take(')')) {
      if (this.reader.take('...')) hasRest = true;
      else params.push(this.reader.name());
      if (!this.reader.take(',') && !this.reader.is(')')) this.reader.fail('expected ")"');
    }
    const body = this.parseBlock();
    this.reader.expect('end');
    return { type: 'function', params, hasRest, body, line };
  }
}
