import { COMMANDS, FORMAT, LIBRARY, PATTERN_FUNCTIONS } from './library.names.mjs';
import { LuaSyntaxError } from './lua.lexer.mjs';
import { bytesOf, jsLiteral } from './lua.text.mjs';
import { compilePattern, PatternError } from './pattern.compiler.mjs';

/** @typedef {import('./js.scope.mjs').JsScope} JsScope */
/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {Extract<Expression, { type: 'call' }>} Call */
/** @typedef {import('./lua.types.js').FunctionExpression} FunctionExpression */

/** @type {ReadonlyMap<string, string>} */
const OPERATORS = new Map([
  ['+', 'add'],
  ['-', 'subtract'],
  ['*', 'multiply'],
  ['/', 'divide'],
  ['%', 'modulo'],
  ['..', 'concat'],
]);

/** @type {ReadonlyMap<string, string>} */
const COMPARISONS = new Map([
  ['==', 'equal'],
  ['~=', '!equal'],
  ['<', 'less'],
  ['<=', 'lessOrEqual'],
  ['>', 'greater'],
  ['>=', 'greaterOrEqual'],
]);

/** Writes expressions of Lua in JavaScript. What it does not know is an error, and never a guess. */
export class JsExpressions {
  /** @param {(value: FunctionExpression, scope: JsScope) => string} compileFunction */
  constructor(compileFunction) {
    this.compileFunction = compileFunction;
  }

  /**
   * One value.
   * @param {Expression} expression
   * @param {JsScope} scope
   * @returns {string}
   */
  value(expression, scope) {
    switch (expression.type) {
      case 'name':
        return this.#name(expression, scope);
      case 'number':
        return `${expression.value}`;
      case 'string':
        return jsLiteral(bytesOf(expression));
      case 'constant':
        if (expression.text === '...') return refuse(expression, '"..." is not supported');
        return expression.text === 'nil' ? 'undefined' : expression.text;
      case 'unary':
        return this.#unary(expression, scope);
      case 'binary':
        return this.#binary(expression, scope);
      case 'index':
        return (
          this.#libraryOf(expression, scope) ??
          `L.get(${this.value(expression.object, scope)}, ${this.value(expression.key, scope)})`
        );
      case 'call':
        return `L.first(${this.call(expression, scope)})`;
      case 'table':
        return this.#table(expression, scope);
      case 'function':
        return this.compileFunction(expression, scope);
    }
  }

  /**
   * Several values, the last of which may be many.
   * @param {readonly Expression[]} list
   * @param {JsScope} scope
   */
  values(list, scope) {
    return list
      .map((one, index) =>
        index === list.length - 1 && one.type === 'call' && one.isSingle !== true
          ? `...${this.call(one, scope)}`
          : this.value(one, scope),
      )
      .join(', ');
  }

  /**
   * @param {Expression} expression
   * @param {JsScope} scope
   * @returns {string} a boolean of JavaScript
   */
  condition(expression, scope) {
    if (expression.type === 'unary' && expression.operator === 'not')
      return `!${this.condition(expression.operand, scope)}`;
    if (expression.type === 'binary') {
      const { operator, left, right } = expression;
      const comparison = COMPARISONS.get(operator);
      if (comparison !== undefined) {
        const [not, name] = comparison.startsWith('!') ? ['!', comparison.slice(1)] : ['', comparison];
        return `${not}L.${name}(${this.value(left, scope)}, ${this.value(right, scope)})`;
      }
      if (operator === 'and' || operator === 'or')
        return `(${this.condition(left, scope)} ${operator === 'and' ? '&&' : '||'} ${this.condition(right, scope)})`;
    }
    return `L.isTrue(${this.value(expression, scope)})`;
  }

  /**
   * A call with all that it returns.
   * @param {Call} call
   * @param {JsScope} scope
   * @returns {string}
   */
  call(call, scope) {
    if (call.isMethod === true) return refuse(call, 'a call with a colon is not supported');
    const path = this.#pathOf(call.callee, scope);
    if (path === undefined) {
      const args = call.args.length === 0 ? '' : `, ${this.values(call.args, scope)}`;
      return `L.call(${this.value(call.callee, scope)}${args})`;
    }
    if (PATTERN_FUNCTIONS.has(path)) return this.#matching(path, call, scope);
    const [first] = call.args;
    if (path === 'string.format' && (first?.type !== 'string' || !FORMAT.test(bytesOf(first))))
      return refuse(call, 'string.format needs a literal of %d, %s, %.0f and %02x');
    if ((path === 'redis.call' || path === 'redis.pcall') && first?.type === 'string') {
      if (!COMMANDS.has(first.value)) return refuse(call, `the memory store has no ${first.value}`);
    }
    return `${this.value(call.callee, scope)}(${this.values(call.args, scope)})`;
  }

  /**
   * @param {string} path
   * @param {Call} call
   * @param {JsScope} scope
   */
  #matching(path, { args, line }, scope) {
    const [subject, pattern, third, fourth, ...more] = args;
    if (subject === undefined || pattern === undefined || more.length > 0)
      return refuse({ line }, `${path} is called in a way that is not supported`);
    const text = this.value(subject, scope);
    if (path === 'string.find' && fourth !== undefined) {
      const isPlain = fourth.type === 'constant' && fourth.text === 'true';
      const isFromStart = third?.type === 'number' && third.value === 1;
      if (!isPlain || !isFromStart)
        return refuse({ line }, 'string.find is plain and from 1, or has a pattern');
      return `L.findPlain(${text}, ${this.value(pattern, scope)})`;
    }
    if (pattern.type !== 'string') return refuse({ line }, `the pattern of ${path} is no literal`);
    const regex = compile(bytesOf(pattern), line);
    if (path !== 'string.gsub')
      return third === undefined
        ? `L.${path.slice('string.'.length)}(${text}, ${regex})`
        : refuse({ line }, `${path} from a place is not supported`);
    if (third === undefined || fourth !== undefined || new RegExp(regex.slice(1, -1)).test(''))
      return refuse({ line }, 'string.gsub takes a pattern that never matches nothing, and a replacement');
    if (third.type === 'string' && third.value.includes('%'))
      return refuse({ line }, 'a replacement with "%" is not supported');
    return `L.gsub(${text}, ${regex}g, ${this.value(third, scope)})`;
  }

  /**
   * @param {Extract<Expression, { type: 'name' }>} expression
   * @param {JsScope} scope
   */
  #name({ name, line }, scope) {
    if (name === 'KEYS' || name === 'ARGV') return name;
    const local = scope.find(name);
    if (local !== undefined) return local;
    return LIBRARY.has(name) ? `G['${name}']` : refuse({ line }, `"${name}" is not supported`);
  }

  /**
   * @param {Expression} expression
   * @param {JsScope} scope
   * @returns {string | undefined} a name of Lua's library
   */
  #pathOf(expression, scope) {
    if (expression.type === 'name')
      return scope.find(expression.name) === undefined ? expression.name : undefined;
    if (expression.type !== 'index' || expression.object.type !== 'name') return undefined;
    const { name } = expression.object;
    if (scope.find(name) !== undefined || name === 'KEYS' || name === 'ARGV') return undefined;
    return expression.key.type === 'string' ? `${name}.${expression.key.value}` : undefined;
  }

  /**
   * @param {Expression} expression
   * @param {JsScope} scope
   */
  #libraryOf(expression, scope) {
    const path = this.#pathOf(expression, scope);
    if (path === undefined) return undefined;
    return LIBRARY.has(path) ? `G['${path}']` : refuse(expression, `"${path}" is not supported`);
  }

  /**
   * @param {Extract<Expression, { type: 'unary' }>} expression
   * @param {JsScope} scope
   */
  #unary(expression, scope) {
    if (expression.operator === 'not') return this.condition(expression, scope);
    const operand = this.value(expression.operand, scope);
    return expression.operator === '#' ? `L.length(${operand})` : `L.negate(${operand})`;
  }

  /**
   * @param {Extract<Expression, { type: 'binary' }>} expression
   * @param {JsScope} scope
   */
  #binary(expression, scope) {
    const { operator, left, right } = expression;
    if (COMPARISONS.has(operator)) return this.condition(expression, scope);
    if (operator === 'and' || operator === 'or')
      return `L.${operator}(${this.value(left, scope)}, () => ${this.value(right, scope)})`;
    const name = OPERATORS.get(operator);
    if (name === undefined) return refuse(expression, `the operator ${operator} is not supported`);
    return `L.${name}(${this.value(left, scope)}, ${this.value(right, scope)})`;
  }

  /**
   * @param {Extract<Expression, { type: 'table' }>} expression
   * @param {JsScope} scope
   */
  #table({ fields }, scope) {
    const list = fields.filter(({ key }) => key === null).map(({ value }) => value);
    const named = fields.flatMap(({ key, value }) =>
      key === null ? [] : [`[${this.value(key, scope)}, ${this.value(value, scope)}]`],
    );
    const values = `[${this.values(list, scope)}]`;
    return named.length === 0 ? `L.table(${values})` : `L.table(${values}, [${named.join(', ')}])`;
  }
}

/**
 * @param {string} pattern
 * @param {number} line
 */
function compile(pattern, line) {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (error instanceof PatternError) return refuse({ line }, error.message);
    throw error;
  }
}

/**
 * @param {{ readonly line: number }} where
 * @param {string} message
 * @returns {never}
 */
export function refuse({ line }, message) {
  throw new LuaSyntaxError(line, message);
}
