import { JsExpressions, refuse } from './js.expressions.mjs';
import { JsScope } from './js.scope.mjs';

/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {import('./lua.types.js').FunctionExpression} FunctionExpression */
/** @typedef {import('./lua.types.js').Statement} Statement */

/** Writes statements of Lua in TypeScript: on functions of `lua-runtime/lua.operations.ts`, called `L`, and of its library, `G`. */
export class JsCompiler {
  #temporaries = 0;
  #expressions = new JsExpressions((value, scope) => this.#function(value, scope));

  /**
   * A function of no name.
   * @param {readonly string[]} params as they are in TypeScript
   * @param {readonly Statement[]} body
   * @param {JsScope} scope
   */
  lambda(params, body, scope) {
    const ends = body.at(-1)?.type === 'return' ? '' : 'return [];\n';
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
   * @param {FunctionExpression} value
   * @param {JsScope} scope
   */
  #function(value, scope) {
    if (value.hasRest) return refuse(value, '"..." is not supported');
    const inner = new JsScope(scope);
    const params = value.params.map((name) => `${inner.declare(name)}?: Value`);
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
      case 'local':
        return this.#local(statement, scope);
      case 'localFunction': {
        const name = scope.declare(statement.name);
        return `const ${name} = ${this.#function(statement.value, scope)};`;
      }
      case 'assign':
        return this.#assign(statement, scope);
      case 'expression':
        if (statement.value.type !== 'call') return refuse(statement, 'only a call is a statement');
        return `${expressions.call(statement.value, scope)};`;
      case 'return':
        return this.#return(statement.values, scope);
      case 'break':
        return 'break;';
      case 'block':
        return this.#braced(statement.body, scope);
      case 'while':
        return `while (${expressions.condition(statement.condition, scope)}) ${this.#braced(statement.body, scope)}`;
      case 'repeat': {
        const inner = new JsScope(scope);
        const body = this.block(statement.body, inner);
        return `for (;;) {\n${body}if (${expressions.condition(statement.condition, inner)}) break;\n}`;
      }
      case 'if':
        return this.#if(statement, scope);
      case 'numericFor':
        return this.#numericFor(statement, scope);
      case 'genericFor':
        return this.#genericFor(statement, scope);
    }
  }

  /**
   * @param {Extract<Statement, { type: 'local' }>} statement
   * @param {JsScope} scope
   */
  #local({ names, values }, scope) {
    const [only] = values;
    if (names.length === 1 && values.length <= 1) {
      const value = only === undefined ? 'undefined' : this.#expressions.value(only, scope);
      return `let ${scope.declare(names[0] ?? '')}: Value = ${value};`;
    }
    const list = this.#expressions.values(values, scope);
    return `let [${names.map((name) => scope.declare(name)).join(', ')}]: Value[] = [${list}];`;
  }

  /**
   * @param {Extract<Statement, { type: 'assign' }>} statement
   * @param {JsScope} scope
   */
  #assign({ targets, values }, scope) {
    const [target] = targets;
    const [value] = values;
    if (targets.length === 1 && values.length === 1 && target !== undefined && value !== undefined)
      return this.#store(target, this.#expressions.value(value, scope), scope);
    this.#temporaries += 1;
    const list = `$${this.#temporaries}`;
    const stores = targets.map((one, index) => this.#store(one, `${list}[${index}]`, scope));
    return `const ${list}: Value[] = [${this.#expressions.values(values, scope)}];\n${stores.join('\n')}`;
  }

  /**
   * @param {Expression} target
   * @param {string} value
   * @param {JsScope} scope
   */
  #store(target, value, scope) {
    if (target.type === 'name') {
      const local = scope.find(target.name);
      return local === undefined
        ? refuse(target, `"${target.name}" is assigned but not local`)
        : `${local} = ${value};`;
    }
    if (target.type !== 'index') return refuse(target, 'only a local or a field can be assigned');
    const { object, key } = target;
    return `L.set(${this.#expressions.value(object, scope)}, ${this.#expressions.value(key, scope)}, ${value});`;
  }

  /**
   * @param {readonly Expression[]} values
   * @param {JsScope} scope
   */
  #return(values, scope) {
    const [only] = values;
    if (values.length === 1 && only?.type === 'call' && only.isSingle !== true)
      return `return ${this.#expressions.call(only, scope)};`;
    return `return [${this.#expressions.values(values, scope)}];`;
  }

  /**
   * @param {Extract<Statement, { type: 'if' }>} statement
   * @param {JsScope} scope
   */
  #if({ branches }, scope) {
    return branches
      .map(({ condition, body }) => {
        const test = condition === null ? '' : `if (${this.#expressions.condition(condition, scope)}) `;
        return `${test}${this.#braced(body, scope)}`;
      })
      .join(' else ');
  }

  /**
   * @param {Extract<Statement, { type: 'numericFor' }>} statement
   * @param {JsScope} scope
   */
  #numericFor({ name, first, limit, step, body, line }, scope) {
    const by = stepOf(step);
    if (by === 0) return refuse({ line }, 'the step of a loop is a literal, and not 0');
    const inner = new JsScope(scope);
    const [at, last] = [inner.declare('$at'), inner.declare('$last')];
    const [from, to] = [this.#expressions.value(first, scope), this.#expressions.value(limit, scope)];
    const local = inner.declare(name);
    const head = `for (let ${at} = L.number(${from}), ${last} = L.number(${to}); ${at} ${by > 0 ? '<=' : '>='} ${last}; ${at} += ${by})`;
    return `${head} {\nlet ${local}: Value = ${at};\n${this.block(body, inner)}}`;
  }

  /**
   * @param {Extract<Statement, { type: 'genericFor' }>} statement
   * @param {JsScope} scope
   */
  #genericFor({ names, values, body, line }, scope) {
    const [source] = values;
    const callee = source?.type === 'call' && source.callee.type === 'name' ? source.callee.name : '';
    const isShadowed = scope.find(callee) !== undefined;
    const [list, ...more] = source?.type === 'call' ? source.args : [];
    const isKnown = ['ipairs', 'pairs'].includes(callee) && !isShadowed;
    if (!isKnown || list === undefined || values.length + more.length > 1 || names.length > 2)
      return refuse({ line }, 'a loop goes over ipairs(...) or pairs(...)');
    const inner = new JsScope(scope);
    const over = `L.${callee}(${this.#expressions.value(list, scope)})`;
    const locals = names.map((name) => inner.declare(name));
    return `for (let [${locals.join(', ')}] of ${over}) {\n${this.block(body, inner)}}`;
  }
}

/**
 * @param {Expression | null} step
 * @returns {number} 0 where it is not known
 */
function stepOf(step) {
  if (step === null) return 1;
  if (step.type === 'number') return step.value;
  return step.type === 'unary' && step.operator === '-' ? -stepOf(step.operand) : 0;
}
