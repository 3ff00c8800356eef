import { nameOf } from './expression.facts.mjs';
import { JsExpressions } from './js.expressions.mjs';
import { JsScope } from './js.scope.mjs';
import { refuse } from './lua.parser.mjs';

/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('luaparse').FunctionDeclaration} FunctionDeclaration */
/** @typedef {import('luaparse').Statement} Statement */

/** Writes statements of Lua in TypeScript: on functions of `lua-runtime/lua.operations.ts`, called `L`, and of its library, `G`. */
export class JsCompiler {
  #temporaries = 0;
  #expressions = new JsExpressions((value, scope) => this.function(value, scope));

  /**
   * A function of no name.
   * @param {readonly string[]} params as they are in TypeScript
   * @param {readonly Statement[]} body
   * @param {JsScope} scope
   */
  lambda(params, body, scope) {
    const ends = body.at(-1)?.type === 'ReturnStatement' ? '' : 'return [];\n';
    return `(${params.join(', ')}): Value[] => {\n${this.block(body, scope)}${ends}}`;
  }

  /**
   * @param {readonly Statement[]} body
   * @param {JsScope} scope the block's own
   * @returns {string}
   */
  block(body, scope) {
    return body.map((statement) => `${this.#statement(statement, scope)}\n`).join('');
  }

  /**
   * A function of Lua.
   * @param {FunctionDeclaration} value
   * @param {JsScope} scope
   */
  function(value, scope) {
    const inner = new JsScope(scope);
    const params = value.parameters.map((param) =>
      param.type === 'Identifier'
        ? `${inner.declare(param.name)}?: Value`
        : refuse(param, '"..." is not supported'),
    );
    return this.lambda(params, value.body, inner);
  }

  /**
   * @param {readonly Statement[]} body
   * @param {JsScope} scope
   */
  #braced(body, scope) {
    return `{\n${this.block(body, new JsScope(scope))}}`;
  }

  /**
   * @param {Statement} statement
   * @param {JsScope} scope
   * @returns {string}
   */
  #statement(statement, scope) {
    const expressions = this.#expressions;
    switch (statement.type) {
      case 'LocalStatement':
        return this.#local(statement, scope);
      case 'FunctionDeclaration': {
        const name = scope.declare(nameOf(statement.identifier));
        return `const ${name} = ${this.function(statement, scope)};`;
      }
      case 'AssignmentStatement':
        return this.#assign(statement, scope);
      case 'CallStatement':
        if (statement.expression.type !== 'CallExpression')
          return refuse(statement, 'only a call is a statement');
        return `${expressions.call(statement.expression, scope)};`;
      case 'ReturnStatement':
        return this.#return(statement.arguments, scope);
      case 'BreakStatement':
        return 'break;';
      case 'DoStatement':
        return this.#braced(statement.body, scope);
      case 'WhileStatement':
        return `while (${expressions.condition(statement.condition, scope)}) ${this.#braced(statement.body, scope)}`;
      case 'RepeatStatement': {
        const inner = new JsScope(scope);
        const body = this.block(statement.body, inner);
        return `for (;;) {\n${body}if (${expressions.condition(statement.condition, inner)}) break;\n}`;
      }
      case 'IfStatement':
        return this.#if(statement, scope);
      case 'ForNumericStatement':
        return this.#numericFor(statement, scope);
      case 'ForGenericStatement':
        return this.#genericFor(statement, scope);
      default:
        return refuse(statement, 'it is no statement of Lua 5.1');
    }
  }

  /**
   * @param {import('luaparse').LocalStatement} statement
   * @param {JsScope} scope
   */
  #local({ variables, init }, scope) {
    const [only] = init;
    const names = variables.map(({ name }) => name);
    if (names.length === 1 && init.length <= 1) {
      const value = only === undefined ? 'undefined' : this.#expressions.value(only, scope);
      return `let ${scope.declare(names[0] ?? '')}: Value = ${value};`;
    }
    const list = this.#expressions.values(init, scope);
    return `let [${names.map((name) => scope.declare(name)).join(', ')}]: Value[] = [${list}];`;
  }

  /**
   * @param {import('luaparse').AssignmentStatement} statement
   * @param {JsScope} scope
   */
  #assign({ variables, init }, scope) {
    const [target] = variables;
    const [value] = init;
    if (variables.length === 1 && init.length === 1 && target !== undefined && value !== undefined)
      return this.#store(target, this.#expressions.value(value, scope), scope);
    this.#temporaries += 1;
    const list = `$${this.#temporaries}`;
    const stores = variables.map((one, index) => this.#store(one, `${list}[${index}]`, scope));
    return `const ${list}: Value[] = [${this.#expressions.values(init, scope)}];\n${stores.join('\n')}`;
  }

  /**
   * @param {Expression} target
   * @param {string} value
   * @param {JsScope} scope
   */
  #store(target, value, scope) {
    if (target.type === 'Identifier') {
      const local = scope.find(target.name);
      return local === undefined
        ? refuse(target, `"${target.name}" is assigned but not local`)
        : `${local} = ${value};`;
    }
    const field = this.#expressions.field(target, scope);
    return field === undefined
      ? refuse(target, 'only a local or a field can be assigned')
      : `L.set(${field}, ${value});`;
  }

  /**
   * @param {readonly Expression[]} values
   * @param {JsScope} scope
   */
  #return(values, scope) {
    const [only] = values;
    if (values.length === 1 && only?.type === 'CallExpression' && only.isSingle !== true)
      return `return ${this.#expressions.call(only, scope)};`;
    return `return [${this.#expressions.values(values, scope)}];`;
  }

  /**
   * @param {import('luaparse').IfStatement} statement
   * @param {JsScope} scope
   */
  #if({ clauses }, scope) {
    return clauses
      .map((clause) => {
        const test =
          'condition' in clause ? `if (${this.#expressions.condition(clause.condition, scope)}) ` : '';
        return `${test}${this.#braced(clause.body, scope)}`;
      })
      .join(' else ');
  }

  /**
   * @param {import('luaparse').ForNumericStatement} statement
   * @param {JsScope} scope
   */
  #numericFor(statement, scope) {
    const { variable, start, end, step, body } = statement;
    const by = stepOf(step);
    if (by === 0) return refuse(statement, 'the step of a loop is a literal, and not 0');
    const inner = new JsScope(scope);
    const [at, last] = [inner.declare('$at'), inner.declare('$last')];
    const [from, to] = [this.#expressions.value(start, scope), this.#expressions.value(end, scope)];
    const local = inner.declare(variable.name);
    const head = `for (let ${at} = L.number(${from}), ${last} = L.number(${to}); ${at} ${by > 0 ? '<=' : '>='} ${last}; ${at} += ${by})`;
    return `${head} {\nlet ${local}: Value = ${at};\n${this.block(body, inner)}}`;
  }

  /**
   * @param {import('luaparse').ForGenericStatement} statement
   * @param {JsScope} scope
   */
  #genericFor(statement, scope) {
    const { variables, iterators, body } = statement;
    const [source] = iterators;
    const call = source?.type === 'CallExpression' ? source : undefined;
    const callee = nameOf(call?.base);
    const isShadowed = scope.find(callee) !== undefined;
    const [list, ...more] = call?.arguments ?? [];
    const isKnown = ['ipairs', 'pairs'].includes(callee) && !isShadowed;
    if (!isKnown || list === undefined || iterators.length + more.length > 1 || variables.length > 2)
      return refuse(statement, 'a loop goes over ipairs(...) or pairs(...)');
    const inner = new JsScope(scope);
    const over = `L.${callee}(${this.#expressions.value(list, scope)})`;
    const locals = variables.map(({ name }) => inner.declare(name));
    return `for (let [${locals.join(', ')}] of ${over}) {\n${this.block(body, inner)}}`;
  }
}

/**
 * @param {Expression | null} step
 * @returns {number} 0 where it is not known
 */
function stepOf(step) {
  if (step === null) return 1;
  if (step.type === 'NumericLiteral') return step.value;
  return step.type === 'UnaryExpression' && step.operator === '-' ? -stepOf(step.argument) : 0;
}
