import { otherPositions, vectorOf, vectorReads } from './expression.facts.mjs';
import { evaluatePosition } from './position.evaluator.mjs';

/** @typedef {import('./lua.types.js').Declaration} Declaration */
/** @typedef {import('luaparse').Expression} Expression */
/** @typedef {import('./lua.types.js').Header} Header */
/** @typedef {import('./lua.types.js').Problem} Problem */
/** @typedef {import('./lua.types.js').Scope} Scope */
/** @typedef {'KEYS' | 'ARGV'} Vector */

/** Compares the positions that a body reads with those that its header declares. */
export class DeclarationBook {
  /** @param {Header} header */
  constructor(header) {
    this.header = header;
    /** @type {Set<Declaration>} */
    this.read = new Set();
  }

  /**
   * Notes what a local is bound to, where that is a position, or all positions from one on.
   * @param {string} name
   * @param {Expression} value
   * @param {Scope} scope
   * @returns {{ bound?: Expression, problem?: string | null }} the expression that reads KEYS or ARGV, and what is wrong with it
   */
  note(name, value, scope) {
    const others = otherPositions(value);
    if (others) return { bound: others.vector, problem: this.#noteOthers(name, others) };
    const [read, more] = vectorReads(value);
    if (!read || more) return {};
    return { bound: read, problem: this.#notePosition(name, vectorOf(read), read.index, scope) };
  }

  /**
   * Notes `local <name> = {unpack(<vector>, <first>)}`.
   * @param {string} name
   * @param {NonNullable<ReturnType<typeof otherPositions>>} positions
   */
  #noteOthers(name, { vector, first }) {
    const { keys, args, otherKeys, otherArgs } = this.header;
    const [declared, one, tag] =
      vector.name === 'KEYS' ? [otherKeys[0], keys, '@keys'] : [otherArgs[0], args, '@args'];
    if (declared?.name !== name)
      return `"${name}" is read from ${vector.name} but the header declares no ${tag} of that name`;
    this.read.add(declared);
    const expected = one.length + 1;
    return first?.type === 'NumericLiteral' && first.value === expected
      ? null
      : `"${name}" begins behind the declared positions: write {unpack(${vector.name}, ${expected})}`;
  }

  /**
   * Notes `local <name> = <vector>[<position>]`.
   * @param {string} name
   * @param {Vector} vector
   * @param {Expression} position
   * @param {Scope} scope
   * @returns {string | null} what is wrong with it
   */
  #notePosition(name, vector, position, scope) {
    const { keys, args, shared, batch } = this.header;
    const found = vector === 'KEYS' ? place(keys, name) : (place(shared, name) ?? place(args, name));
    if (!found) {
      const tags = vector === 'KEYS' ? '@key' : batch ? '@arg or @shared' : '@arg';
      return `"${name}" is read from ${vector} but the header declares no ${tags} of that name`;
    }
    this.read.add(found.declaration);
    const isShared = found.group === shared;
    const offset = vector === 'KEYS' || isShared ? 0 : shared.length;
    for (const turn of batch ? [0, 1] : [0]) {
      const expected = offset + found.index + 1 + (isShared ? 0 : turn * found.group.length);
      const actual = evaluatePosition(position, scope, turn);
      if (actual === undefined) {
        return `the position of "${name}" in ${vector} cannot be computed: use numbers, or + - * of the loop variable`;
      }
      if (actual !== expected) {
        const where = turn === 0 ? '' : ' in the second operation';
        return `"${name}" reads ${vector}[${actual}]${where}, but the header puts it at ${vector}[${expected}]`;
      }
    }
    return null;
  }

  /** @returns {Problem[]} what is declared and never read */
  unread() {
    const { keys, args, shared, otherKeys, otherArgs } = this.header;
    const forms = [
      ...keys.map((declaration) => ({ declaration, form: 'KEYS[...]' })),
      ...[...args, ...shared].map((declaration) => ({ declaration, form: 'ARGV[...]' })),
      ...otherKeys.map((declaration) => ({ declaration, form: `{unpack(KEYS, ${keys.length + 1})}` })),
      ...otherArgs.map((declaration) => ({ declaration, form: `{unpack(ARGV, ${args.length + 1})}` })),
    ];
    return forms
      .filter(({ declaration }) => !this.read.has(declaration))
      .map(({ declaration: { name, line }, form }) => ({
        line,
        message: `"${name}" is declared but the body has no "local ${name} = ${form}"`,
      }));
  }
}

/**
 * @param {Declaration[]} group
 * @param {string} name
 */
function place(group, name) {
  const index = group.findIndex((declaration) => declaration.name === name);
  const declaration = group[index];
  return declaration && { group, index, declaration };
}
