import { evaluatePosition } from './position.evaluator.mjs';

/** @typedef {import('./lua.types.js').Declaration} Declaration */
/** @typedef {import('./lua.types.js').Expression} Expression */
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
   * Notes `local <name> = <vector>[<position>]`.
   * @param {string} name
   * @param {Vector} vector
   * @param {Expression} position
   * @param {Scope} scope
   * @returns {string | null} what is wrong with it
   */
  note(name, vector, position, scope) {
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
    const { keys, args, shared } = this.header;
    const missing = [...keys, ...args, ...shared].filter((declaration) => !this.read.has(declaration));
    return missing.map(({ name, line }) => {
      const vector = keys.some((key) => key.line === line) ? 'KEYS' : 'ARGV';
      return { line, message: `"${name}" is declared but the body has no "local ${name} = ${vector}[...]"` };
    });
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
