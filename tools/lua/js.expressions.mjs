import { fieldOf } from './expression.facts.mjs';
import { COMMANDS, FORMAT, LIBRARY, PATTERN_FUNCTIONS } from './library.names.mjs';
import { refuse } from './lua.parser.mjs';
import { jsLiteral } from './lua.text.mjs';
import { compilePattern, PatternError } from './pattern.compiler.mjs';

/** @typedef {import('./js.scope.mjs').JsScope} JsScope */
/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('luaparse').CallExpression} Call */
/** @typedef {import('luaparse').FunctionDeclaration} FunctionDeclaration */

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
  /** @param {(value: FunctionDeclaration, scope: JsScope) => string} compileFunction */
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
      case 'Identifier':
        return this.#name(expression, scope);
      case 'NumericLiteral':
        return `${expression.value}`;
      case 'StringLiteral':
        return jsLiteral(expression.value);
      case 'NilLiteral':
        return 'undefined';
      case 'BooleanLiteral':
        return `${expression.value}`;
      case 'UnaryExpression':
        return this.#unary(expression, scope);
      case 'LogicalExpression':
        return `L.${expression.operator}(${this.value(expression.left, scope)}, () => ${this.value(expression.right, scope)})`;
      case 'BinaryExpression':
        return this.#binary(expression, scope);
      case 'MemberExpression':
      case 'IndexExpression':
        return this.#libraryOf(expression, scope) ?? `L.get(${this.field(expression, scope)})`;
      case 'CallExpression':
        return `L.first(${this.call(expression, scope)})`;
      case 'TableConstructorExpression':
        return this.#table(expression, scope);
      case 'FunctionDeclaration':
        return this.compileFunction(expression, scope);
      default:
        return refuse(
          expression,
          `${'raw' in expression ? `"${expression.raw}"` : expression.type} is not supported`,
        );
    }
  }

  /**
   * A table and the key of one of its fields.
   * @param {Expression} expression
   * @param {JsScope} scope
   * @returns {string | undefined} nothing where it is no field
   */
  field(expression, scope) {
    if (expression.type === 'MemberExpression')
      return `${this.value(expression.base, scope)}, ${jsLiteral(expression.identifier.name)}`;
    return expression.type === 'IndexExpression'
      ? `${this.value(expression.base, scope)}, ${this.value(expression.index, scope)}`
      : undefined;
  }

  /**
   * Several values, the last of which may be many.
   * @param {readonly Expression[]} list
   * @param {JsScope} scope
   */
  values(list, scope) {
    return list
      .map((one, index) =>
        index === list.length - 1 && one.type === 'CallExpression' && one.isSingle !== true
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
    if (expression.type === 'UnaryExpression' && expression.operator === 'not')
      return `!${this.condition(expression.argument, scope)}`;
    if (expression.type === 'LogicalExpression') {
      const operator = expression.operator === 'and' ? '&&' : '||';
      return `(${this.condition(expression.left, scope)} ${operator} ${this.condition(expression.right, scope)})`;
    }
    if (expression.type === 'BinaryExpression') {
      const { operator, left, right } = expression;
      const comparison = COMPARISONS.get(operator);
      if (comparison !== undefined) {
        const [not, name] = comparison.startsWith('!') ? ['!', comparison.slice(1)] : ['', comparison];
        return `${not}L.${name}(${this.value(left, scope)}, ${this.value(right, scope)})`;
      }
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
    const { base, arguments: args } = call;
    if (base.type === 'MemberExpression' && base.indexer === ':')
      return refuse(call, 'a call with a colon is not supported');
    const path = this.#pathOf(base, scope);
    if (path === undefined)
      return `L.call(${[this.value(base, scope), ...(args.length > 0 ? [this.values(args, scope)] : [])].join(', ')})`;
    if (PATTERN_FUNCTIONS.has(path)) return this.#matching(path, call, scope);
    const [first] = args;
    if (path === 'string.format' && (first?.type !== 'StringLiteral' || !FORMAT.test(first.value)))
      return refuse(call, 'string.format needs a literal of %d, %s, %.0f and %02x');
    if ((path === 'redis.call' || path === 'redis.pcall') && first?.type === 'StringLiteral') {
      if (!COMMANDS.has(first.value)) return refuse(call, `the memory store has no ${first.value}`);
    }
    return `${this.value(base, scope)}(${this.values(args, scope)})`;
  }

  /**
   * @param {string} path
   * @param {Call} call
   * @param {JsScope} scope
   */
  #matching(path, call, scope) {
    const [subject, pattern, third, fourth, ...more] = call.arguments;
    if (subject === undefined || pattern === undefined || more.length > 0)
      return refuse(call, `${path} is called in a way that is not supported`);
    const text = this.value(subject, scope);
    if (path === 'string.find' && fourth !== undefined) {
      const isPlain = fourth.type === 'BooleanLiteral' && fourth.value;
      const isFromStart = third?.type === 'NumericLiteral' && third.value === 1;
      if (!isPlain || !isFromStart) return refuse(call, 'string.find is plain and from 1, or has a pattern');
      return `L.findPlain(${text}, ${this.value(pattern, scope)})`;
    }
    if (pattern.type !== 'StringLiteral') return refuse(call, `the pattern of ${path} is no literal`);
    const regex = compile(pattern);
    if (path !== 'string.gsub')
      return third === undefined
        ? `L.${path.slice('string.'.length)}(${text}, ${regex})`
        : refuse(call, `${path} from a place is not supported`);
    if (third === undefined || fourth !== undefined || new RegExp(regex.slice(1, -1)).test(''))
      return refuse(call, 'string.gsub takes a pattern that never matches nothing, and a replacement');
    if (third.type === 'StringLiteral' && third.value.includes('%'))
      return refuse(call, 'a replacement with "%" is not supported');
    return `L.gsub(${text}, ${regex}g, ${this.value(third, scope)})`;
  }

  /**
   * @param {import('luaparse').Identifier} expression
   * @param {JsScope} scope
   */
  #name(expression, scope) {
    const { name } = expression;
    if (name === 'KEYS' || name === 'ARGV') return name;
    const local = scope.find(name);
    if (local !== undefined) return local;
    return LIBRARY.has(name) ? `G['${name}']` : refuse(expression, `"${name}" is not supported`);
  }

  /**
   * @param {Expression} expression
   * @param {JsScope} scope
   * @returns {string | undefined} a name of Lua's library
   */
  #pathOf(expression, scope) {
    const field = fieldOf(expression);
    const root = field?.base ?? expression;
    if (root.type !== 'Identifier' || scope.find(root.name) !== undefined) return undefined;
    if (field === undefined) return root.name;
    return root.name === 'KEYS' || root.name === 'ARGV' ? undefined : `${root.name}.${field.name}`;
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
   * @param {import('luaparse').UnaryExpression} expression
   * @param {JsScope} scope
   */
  #unary(expression, scope) {
    if (expression.operator === 'not') return this.condition(expression, scope);
    const operand = this.value(expression.argument, scope);
    return expression.operator === '#' ? `L.length(${operand})` : `L.negate(${operand})`;
  }

  /**
   * @param {import('luaparse').BinaryExpression} expression
   * @param {JsScope} scope
   */
  #binary(expression, scope) {
    const { operator, left, right } = expression;
    if (COMPARISONS.has(operator)) return this.condition(expression, scope);
    const name = OPERATORS.get(operator);
    if (name === undefined) return refuse(expression, `the operator ${operator} is not supported`);
    return `L.${name}(${this.value(left, scope)}, ${this.value(right, scope)})`;
  }

  /**
   * @param {import('luaparse').TableConstructorExpression} expression
   * @param {JsScope} scope
   */
  #table({ fields }, scope) {
    const list = fields.filter(({ type }) => type === 'TableValue').map(({ value }) => value);
    const named = fields.flatMap((field) => {
      if (field.type === 'TableValue') return [];
      const key = field.type === 'TableKey' ? this.value(field.key, scope) : jsLiteral(field.key.name);
      return [`[${key}, ${this.value(field.value, scope)}]`];
    });
    const values = `[${this.values(list, scope)}]`;
    return named.length === 0 ? `L.table(${values})` : `L.table(${values}, [${named.join(', ')}])`;
  }
}

/** @param {import('luaparse').StringLiteral} pattern */
function compile(pattern) {
  try {
    return compilePattern(pattern.value);
  } catch (error) {
    if (error instanceof PatternError) return refuse(pattern, error.message);
    throw error;
  }
}
