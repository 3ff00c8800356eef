/** A word of JavaScript, or what stands around every script: no local can have that name. */
const TAKEN = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super ' +
    'switch this throw true try typeof undefined var void while with yield arguments eval L G KEYS ARGV Value'
  ).split(' '),
);

/** The names of one block. A local that hides another one gets a name of its own: JavaScript would not let its value speak of that. */
export class JsScope {
  /** @type {Map<string, string>} */
  #names = new Map();
  /** @type {Set<string>} */
  #used = new Set();

  /** @param {JsScope | null} parent */
  constructor(parent) {
    this.parent = parent;
  }

  /**
   * @param {string} name
   * @returns {string} what it is called in JavaScript
   */
  declare(name) {
    let js = name;
    for (let count = 2; TAKEN.has(js) || this.#isUsed(js); count += 1) js = `${name}$${count}`;
    this.#names.set(name, js);
    this.#used.add(js);
    return js;
  }

  /**
   * @param {string} name
   * @returns {string | undefined}
   */
  find(name) {
    return this.#names.get(name) ?? this.parent?.find(name);
  }

  /**
   * @param {string} js
   * @returns {boolean}
   */
  #isUsed(js) {
    return this.#used.has(js) || (this.parent !== null && this.parent.#isUsed(js));
  }
}
