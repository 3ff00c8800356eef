import { checkCommand } from './command.checker.mjs';
import { DeclarationBook } from './declaration.book.mjs';
import { childrenOf, isVector, isVectorLength, isVectorRead, vectorOf } from './expression.facts.mjs';
import { REDIS_GLOBALS } from './lua.names.mjs';
import { PartBook } from './part.book.mjs';
import { lookUp } from './position.evaluator.mjs';

/** @typedef {import('./lua.types.js').Binding} Binding */
/** @typedef {import('./lua.types.js').Expression} Expression */
/** @typedef {import('./lua.types.js').Header} Header */
/** @typedef {import('./lua.types.js').Problem} Problem */
/** @typedef {import('./lua.types.js').Scope} Scope */
/** @typedef {import('./lua.types.js').Statement} Statement */

/**
 * Checks a body against its header.
 * @param {Statement[]} body
 * @param {Header} header
 * @param {PartBook} parts learns which parts the body calls
 * @returns {Problem[]}
 */
export function checkBody(body, header, parts) {
  const { problems, book } = walk(body, header, parts);
  return [...problems, ...book.unread()].toSorted((a, b) => a.line - b.line);
}

/**
 * Checks what stands in front of the parts: the way of an operation that comes alone, which has the positions of one, need not read
 * them all, and finds no part there yet.
 * @param {Statement[]} body
 * @param {Header} header
 * @returns {Problem[]}
 */
export function checkFront(body, header) {
  return walk(body, { ...header, batch: false }, new PartBook([], new Map())).problems;
}

/**
 * @param {Statement[]} body
 * @param {Header} header
 * @param {PartBook} parts
 */
function walk(body, header, parts) {
  const checker = new BodyChecker(header, parts);
  checker.block(body, null, parts.bindings());
  return checker;
}

class BodyChecker {
  /** @type {Problem[]} */
  problems = [];

  /**
   * @param {Header} header
   * @param {PartBook} parts
   */
  constructor(header, parts) {
    this.book = new DeclarationBook(header);
    this.parts = parts;
  }

  /**
   * @param {Statement[]} body
   * @param {Scope | null} parent
   * @param {[string, Omit<Binding, 'scope'>][]} [names] what the block starts with
   */
  block(body, parent, names = []) {
    /** @type {Scope} */
    const scope = { parent, names: new Map() };
    for (const [name, binding] of names) scope.names.set(name, { ...binding, scope });
    for (const statement of body) this.#statement(statement, scope);
    return scope;
  }

  /**
   * @param {Statement} statement
   * @param {Scope} scope
   */
  #statement(statement, scope) {
    switch (statement.type) {
      case 'local':
        return this.#local(statement, scope);
      case 'localFunction':
        scope.names.set(statement.name, { scope });
        return this.#expression(statement.value, scope);
      case 'assign':
        for (const target of statement.targets) this.#target(target, scope);
        return this.#expressions(statement.values, scope);
      case 'expression':
        return this.#expression(statement.value, scope);
      case 'return':
        return this.#expressions(statement.values, scope);
      case 'break':
        return;
      case 'block':
        return void this.block(statement.body, scope);
      case 'while':
        this.#expression(statement.condition, scope);
        return void this.block(statement.body, scope);
      case 'repeat':
        return this.#expression(statement.condition, this.block(statement.body, scope));
      case 'if':
        for (const { condition, body } of statement.branches) {
          if (condition) this.#expression(condition, scope);
          this.block(body, scope);
        }
        return;
      case 'numericFor': {
        const { name, first, limit, step, body } = statement;
        this.#expressions(step ? [first, limit, step] : [first, limit], scope);
        return void this.block(body, scope, [[name, { loop: { first, step } }]]);
      }
      case 'genericFor':
        this.#expressions(statement.values, scope);
        return void this.block(
          statement.body,
          scope,
          statement.names.map((name) => [name, {}]),
        );
    }
  }

  /**
   * @param {Extract<Statement, { type: 'local' }>} statement
   * @param {Scope} scope
   */
  #local({ names, values }, scope) {
    for (const [index, value] of values.entries()) {
      const name = names[index];
      const { bound, problem } = name === undefined ? {} : this.book.note(name, value, scope);
      if (problem) this.#refuse((bound ?? value).line, problem);
      this.#expression(value, scope, bound);
    }
    // A local is seen by what follows its statement, not by its own value: the value is read in a scope of before.
    const before = { parent: scope.parent, names: new Map(scope.names) };
    for (const [index, name] of names.entries()) {
      const value = values[index];
      scope.names.set(name, value ? { value, scope: before } : { scope });
    }
  }

  /**
   * @param {Expression} target
   * @param {Scope} scope
   */
  #target(target, scope) {
    if (target.type !== 'name') return this.#expression(target, scope);
    if (!lookUp(target.name, scope)) this.#refuse(target.line, `"${target.name}" is assigned but not local`);
  }

  /**
   * @param {Expression[]} list
   * @param {Scope} scope
   */
  #expressions(list, scope) {
    for (const expression of list) this.#expression(expression, scope);
  }

  /**
   * @param {Expression} expression
   * @param {Scope} scope
   * @param {Expression} [bound] the read of KEYS or ARGV that is bound to a declared name
   * @returns {void}
   */
  #expression(expression, scope, bound) {
    if (expression === bound) return bound.type === 'index' ? this.#expression(bound.key, scope) : undefined;
    if (expression.type === 'name') return this.#name(expression, scope);
    if (isVectorRead(expression)) {
      const vector = vectorOf(expression);
      this.#refuse(
        expression.line,
        `${vector}[...] is not bound to a declared name: write "local <name> = ${vector}[...]"`,
      );
      return;
    }
    if (expression.type === 'function') {
      return void this.block(
        expression.body,
        scope,
        expression.params.map((name) => [name, {}]),
      );
    }
    if (isVectorLength(expression)) return;
    const problem = expression.type === 'call' && checkCommand(expression);
    if (problem) this.#refuse(expression.line, problem);
    for (const child of childrenOf(expression)) this.#expression(child, scope, bound);
  }

  /**
   * @param {Extract<Expression, { type: 'name' }>} expression
   * @param {Scope} scope
   */
  #name({ name, line }, scope) {
    const binding = lookUp(name, scope);
    if (isVector(name))
      this.#refuse(line, `${name} is read as a whole: bind its positions to declared names`);
    else if (binding?.part) this.parts.used.add(name);
    else if (!binding && !REDIS_GLOBALS.has(name)) this.#refuse(line, this.parts.undefined(name));
  }

  /**
   * @param {number} line
   * @param {string} message
   */
  #refuse(line, message) {
    this.problems.push({ line, message });
  }
}
