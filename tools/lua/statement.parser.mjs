import { ExpressionParser } from './expression.parser.mjs';
import { LuaSyntaxError } from './lua.lexer.mjs';
import { TokenReader } from './token.reader.mjs';

/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {import('./lua.types.js').Statement} Statement */

/**
 * Reads a script of Lua 5.1, the version that Redis runs.
 * @param {string} source
 * @returns {Statement[]}
 * @throws {import('./lua.lexer.mjs').LuaSyntaxError}
 */
export function parseLua(source) {
  const parser = new StatementParser(new TokenReader(source));
  return parser.script();
}

class StatementParser {
  /** @param {TokenReader} reader */
  constructor(reader) {
    this.reader = reader;
    this.expressions = new ExpressionParser(reader, () => this.block());
  }

  script() {
    const body = this.block();
    if (this.reader.peek().type !== 'end') this.reader.fail('expected a statement');
    return body;
  }

  /** @returns {Statement[]} */
  block() {
    /** @type {Statement[]} */
    const body = [];
    while (this.reader.peek().type !== 'end' && !this.reader.is('end', 'else', 'elseif', 'until')) {
      if (!this.reader.take(';')) body.push(this.#statement());
    }
    return body;
  }

  /** @returns {Statement} */
  #statement() {
    const { line } = this.reader.peek();
    if (this.reader.take('local')) return this.#local(line);
    if (this.reader.take('if')) return this.#if(line);
    if (this.reader.take('for')) return this.#for(line);
    if (this.reader.take('while')) {
      const condition = this.expressions.expression();
      return { type: 'while', condition, body: this.#doBlock(), line };
    }
    if (this.reader.take('repeat')) {
      const body = this.block();
      this.reader.expect('until');
      return { type: 'repeat', condition: this.expressions.expression(), body, line };
    }
    if (this.reader.take('break')) return { type: 'break', line };
    if (this.reader.take('return')) return this.#return(line);
    if (this.reader.is('do')) return { type: 'block', body: this.#doBlock(), line };
    if (this.reader.take('function')) {
      const { text } = this.reader.peek();
      throw new LuaSyntaxError(line, `make the function "${text}" local`);
    }
    return this.#assignment(line);
  }

  #doBlock() {
    this.reader.expect('do');
    const body = this.block();
    this.reader.expect('end');
    return body;
  }

  /**
   * @param {number} line
   * @returns {Statement}
   */
  #local(line) {
    if (this.reader.take('function')) {
      return {
        type: 'localFunction',
        name: this.reader.name(),
        value: this.expressions.functionBody(),
        line,
      };
    }
    const names = this.#names();
    return { type: 'local', names, values: this.reader.take('=') ? this.expressions.list() : [], line };
  }

  #names() {
    const names = [this.reader.name()];
    while (this.reader.take(',')) names.push(this.reader.name());
    return names;
  }

  /**
   * @param {number} line
   * @returns {Statement}
   */
  #if(line) {
    /** @type {{ condition: Expression | null, body: Statement[] }[]} */
    const branches = [];
    do {
      const condition = this.expressions.expression();
      this.reader.expect('then');
      branches.push({ condition, body: this.block() });
    } while (this.reader.take('elseif'));
    if (this.reader.take('else')) branches.push({ condition: null, body: this.block() });
    this.reader.expect('end');
    return { type: 'if', branches, line };
  }

  /**
   * @param {number} line
   * @returns {Statement}
   */
  #for(line) {
    const names = this.#names();
    const [name] = names;
    if (name !== undefined && names.length === 1 && this.reader.take('=')) {
      const first = this.expressions.expression();
      this.reader.expect(',');
      const limit = this.expressions.expression();
      const step = this.reader.take(',') ? this.expressions.expression() : null;
      return { type: 'numericFor', name, first, limit, step, body: this.#doBlock(), line };
    }
    this.reader.expect('in');
    const values = this.expressions.list();
    return { type: 'genericFor', names, values, body: this.#doBlock(), line };
  }

  /**
   * @param {number} line
   * @returns {Statement}
   */
  #return(line) {
    const empty = this.reader.peek().type === 'end' || this.reader.is('end', 'else', 'elseif', 'until', ';');
    return { type: 'return', values: empty ? [] : this.expressions.list(), line };
  }

  /**
   * @param {number} line
   * @returns {Statement}
   */
  #assignment(line) {
    const first = this.expressions.suffixed();
    if (first.type === 'call') return { type: 'expression', value: first, line };
    /** @type {Expression[]} */
    const targets = [first];
    while (this.reader.take(',')) targets.push(this.expressions.suffixed());
    this.reader.expect('=');
    return { type: 'assign', targets, values: this.expressions.list(), line };
  }
}
