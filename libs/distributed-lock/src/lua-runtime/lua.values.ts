/** A function of Lua: it takes and returns any number of values. */
export type LuaFunction = (...args: Value[]) => Value[];

/** A value of Lua. `undefined` is nil, `null` is cjson's null; a text has one character per byte. */
export type Value = undefined | null | boolean | number | string | LuaFunction | LuaTable;

/** What `error` was called with, on its way to a `pcall`. */
export class LuaError extends Error {
  override readonly name = 'LuaError';

  constructor(readonly value: Value) {
    super(
      value instanceof LuaTable ? String(value.get('err')) : typeof value === 'string' ? value : typeof value,
    );
  }

  /** An error that Lua itself raises: a text with its place in front. */
  static at(message: string): LuaError {
    return new LuaError(`user_script:1: ${message}`);
  }
}

/** A table of Lua: a list that begins at 1, and all other keys. */
export class LuaTable {
  #list: Value[];
  readonly #others = new Map<Value, Value>();

  constructor(list: Value[] = [], named: readonly (readonly [Value, Value])[] = []) {
    this.#list = list;
    this.#trim();
    for (const [key, value] of named) this.set(key, value);
  }

  get length(): number {
    return this.#list.length;
  }

  get(key: Value): Value {
    return this.#isListed(key) ? this.#list[Number(key) - 1] : this.#others.get(key);
  }

  set(key: Value, value: Value): void {
    if (key === undefined) throw LuaError.at('table index is nil');
    if (this.#isListed(key)) {
      this.#list[Number(key) - 1] = value;
      if (value === undefined) this.#trim();
    } else if (value === undefined) this.#others.delete(key);
    else if (key === this.#list.length + 1) this.#append(value);
    else this.#others.set(key, value);
  }

  insert(at: number, value: Value): void {
    this.#list.splice(at - 1, 0, value);
    this.#trim();
  }

  remove(at: number): Value {
    const [removed] = this.#list.splice(at - 1, 1);
    return removed;
  }

  /** The list up to the first nil. */
  items(): Value[] {
    const end = this.#list.indexOf(undefined);
    return end === -1 ? [...this.#list] : this.#list.slice(0, end);
  }

  entries(): [Value, Value][] {
    const listed = this.#list.map((value, index): [Value, Value] => [index + 1, value]);
    return [...listed.filter(([, value]) => value !== undefined), ...this.#others];
  }

  #isListed(key: Value): boolean {
    return typeof key === 'number' && Number.isInteger(key) && key >= 1 && key <= this.#list.length;
  }

  #append(value: Value): void {
    this.#list.push(value);
    for (let next = this.#list.length + 1; this.#others.has(next); next += 1) {
      this.#list.push(this.#others.get(next));
      this.#others.delete(next);
    }
  }

  /** A list ends with a value. */
  #trim(): void {
    while (this.#list.length > 0 && this.#list.at(-1) === undefined) this.#list.pop();
  }
}
