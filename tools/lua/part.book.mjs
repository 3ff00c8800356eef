/** @typedef {import('./lua.types.js').Binding} Binding */
/** @typedef {import('./lua.types.js').Include} Include */
/** @typedef {import('./lua.types.js').Part} Part */
/** @typedef {import('./lua.types.js').Problem} Problem */

/** Compares the parts that are included with those that there are, and with those that a body calls. */
export class PartBook {
  /**
   * The parts that the body calls.
   * @type {Set<string>}
   */
  used = new Set();

  /**
   * @param {readonly Include[]} includes
   * @param {ReadonlyMap<string, Pick<Part, 'text' | 'needs'>>} parts all that may be included
   */
  constructor(includes, parts) {
    this.includes = includes;
    this.parts = parts;
  }

  /** @returns {[string, Omit<Binding, 'scope'>][]} what the body finds defined */
  bindings() {
    return this.includes.filter(({ name }) => this.parts.has(name)).map(({ name }) => [name, { part: true }]);
  }

  /**
   * What to say of a name that nothing defines.
   * @param {string} name
   */
  undefined(name) {
    return this.parts.has(name)
      ? `"${name}" is a part that the header does not list: write "-- @include ${name}"`
      : `"${name}" is not defined`;
  }

  /** @param {import('./lua.types.js').Piece} piece */
  textOf(piece) {
    return 'part' in piece ? (this.parts.get(piece.part)?.text ?? '') : piece.own;
  }

  /** @returns {Problem[]} what is wrong with the includes, once the body has been checked */
  problems() {
    /** @type {Problem[]} */
    const problems = [];
    const needed = this.includes.flatMap(({ name }) => [...(this.parts.get(name)?.needs ?? [])]);
    /** @type {Set<string>} */
    const before = new Set();
    for (const { name, line } of this.includes) {
      /** @param {string} message */
      const refuse = (message) => problems.push({ line, message });
      const part = this.parts.get(name);
      if (!part) refuse(`@include names "${name}": lua/parts/ has no such part, or a refused one`);
      else if (before.has(name)) refuse(`"${name}" is included twice`);
      else if (!this.used.has(name) && !needed.includes(name)) refuse(`"${name}" is included but never used`);
      for (const need of part?.needs ?? []) {
        if (!before.has(need)) refuse(`"${name}" calls "${need}": include that before it`);
      }
      before.add(name);
    }
    return problems;
  }
}
