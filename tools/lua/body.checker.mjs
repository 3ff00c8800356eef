import { checkCommand } from './command.checker.mjs';
import { DeclarationBook } from './declaration.book.mjs';
import { childrenOf, isVector, isVectorLength, isVectorRead, nameOf, vectorOf } from './expression.facts.mjs';
import { REDIS_GLOBALS } from './lua.names.mjs';
import { lineOf } from './lua.parser.mjs';
import { PartBook } from './part.book.mjs';
import { lookUp } from './position.evaluator.mjs';

/** @typedef {import('./lua.types.js').Binding} Binding */
/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('./lua.types.js').Header} Header */
/** @typedef {import('./lua.types.js').Problem} Problem */
/** @typedef {import('./lua.types.js').Scope} Scope */
/** @typedef {import('luaparse').Statement} Statement */

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
      case 'LocalStatement':
        return this.#local(statement, scope);
      case 'FunctionDeclaration':
        scope.names.set(nameOf(statement.identifier), { scope });
        return this.#expression(statement, scope);
      case 'AssignmentStatement':
        for (const target of statement.variables) this.#target(target, scope);
        return this.#expressions(statement.init, scope);
      case 'CallStatement':
        return this.#expression(statement.expression, scope);
      case 'ReturnStatement':
        return this.#expressions(statement.arguments, scope);
      case 'BreakStatement':
        return;
      case 'DoStatement':
        return void this.block(statement.body, scope);
      case 'WhileStatement':
        this.#expression(statement.condition, scope);
        return void this.block(statement.body, scope);
      case 'RepeatStatement':
        return this.#expression(statement.condition, this.block(statement.body, scope));
      case 'IfStatement':
        for (const clause of statement.clauses) {
          if ('condition' in clause) this.#expression(clause.condition, scope);
          this.block(clause.body, scope);
        }
        return;
      case 'ForNumericStatement': {
        const { variable, start, end, step, body } = statement;
        this.#expressions(step ? [start, end, step] : [start, end], scope);
        return void this.block(body, scope, [[variable.name, { loop: { first: start, step } }]]);
      }
      case 'ForGenericStatement':
        this.#expressions(statement.iterators, scope);
        return void this.block(statement.body, scope, unknown(statement.variables));
    }
  }

  /**
   * @param {import('luaparse').LocalStatement} statement
   * @param {Scope} scope
   */
  #local({ variables, init }, scope) {
    for (const [index, value] of init.entries()) {
      const name = variables[index]?.name;
      const { bound, problem } = name === undefined ? {} : this.book.note(name, value, scope);
      if (problem) this.#refuse(bound ?? value, problem);
      this.#expression(value, scope, bound);
    }
    // A local is seen by what follows its statement, not by its own value: the value is read in a scope of before.
    const before = { parent: scope.parent, names: new Map(scope.names) };
    for (const [index, { name }] of variables.entries()) {
      const value = init[index];
      scope.names.set(name, value ? { value, scope: before } : { scope });
    }
  }

  /**
   * @param {Expression} target
   * @param {Scope} scope
   */
  #target(target, scope) {
    if (target.type !== 'Identifier') return this.#expression(target, scope);
    if (!lookUp(target.name, scope)) this.#refuse(target, `"${target.name}" is assigned but not local`);
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
    if (expression === bound)
      return bound.type === 'IndexExpression' ? this.#expression(bound.index, scope) : undefined;
    if (expression.type === 'Identifier') return this.#name(expression, scope);
    if (isVectorRead(expression)) {
      const vector = vectorOf(expression);
      this.#refuse(
        expression,
        `${vector}[...] is not bound to a declared name: write "local <name> = ${vector}[...]"`,
      );
      return;
    }
    if (expression.type === 'FunctionDeclaration')
      return void this.block(expression.body, scope, unknown(expression.parameters));
    if (isVectorLength(expression)) return;
    const problem = expression.type === 'CallExpression' && checkCommand(expression);
    if (problem) this.#refuse(expression, problem);
    for (const child of childrenOf(expression)) this.#expression(child, scope, bound);
  }

  /**
   * @param {import('luaparse').Identifier} expression
   * @param {Scope} scope
   */
  #name(expression, scope) {
    const { name } = expression;
    const binding = lookUp(name, scope);
    if (isVector(name))
      this.#refuse(expression, `${name} is read as a whole: bind its positions to declared names`);
    else if (binding?.part) this.parts.used.add(name);
    else if (!binding && !REDIS_GLOBALS.has(name)) this.#refuse(expression, this.parts.undefined(name));
  }

  /**
   * @param {Expression} where
   * @param {string} message
   */
  #refuse(where, message) {
    this.problems.push({ line: lineOf(where), message });
  }
}

/**
 * Names of which nothing is known but that they are there.
 * @param {readonly (Expression)[]} names
 * @returns {[string, Omit<Binding, 'scope'>][]}
 */
function unknown(names) {
  return names.map((name) => [nameOf(name), {}]);
}
