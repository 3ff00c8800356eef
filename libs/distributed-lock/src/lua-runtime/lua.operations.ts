import { formatGeneral, parseNumber } from './lua.numbers.js';
import { LuaError, LuaTable, type Value } from './lua.values.js';

/** What compiled scripts are made of, as Lua 5.1 has it: only nil and false are false, and a text of digits counts as a number. */

export function isTrue(value: Value): boolean {
  return value !== undefined && value !== false;
}

export function first(values: readonly Value[]): Value {
  return values[0];
}

export function call(callee: Value, ...args: Value[]): Value[] {
  if (typeof callee !== 'function') throw LuaError.at(`attempt to call a ${typeName(callee)} value`);
  return callee(...args);
}

export function table(list: Value[], named?: readonly (readonly [Value, Value])[]): LuaTable {
  return new LuaTable(list, named);
}

export function get(object: Value, key: Value): Value {
  if (object instanceof LuaTable) return object.get(key);
  throw LuaError.at(`attempt to index a ${typeName(object)} value`);
}

export function set(object: Value, key: Value, value: Value): void {
  if (!(object instanceof LuaTable)) throw LuaError.at(`attempt to index a ${typeName(object)} value`);
  object.set(key, value);
}

export function and(left: Value, right: () => Value): Value {
  return isTrue(left) ? right() : left;
}

export function or(left: Value, right: () => Value): Value {
  return isTrue(left) ? left : right();
}

export function add(left: Value, right: Value): number {
  return number(left) + number(right);
}

export function subtract(left: Value, right: Value): number {
  return number(left) - number(right);
}

export function multiply(left: Value, right: Value): number {
  return number(left) * number(right);
}

export function divide(left: Value, right: Value): number {
  return number(left) / number(right);
}

/** Has the sign of the divisor. */
export function modulo(left: Value, right: Value): number {
  const [a, b] = [number(left), number(right)];
  return a - Math.floor(a / b) * b;
}

export function negate(value: Value): number {
  return -number(value);
}

export function concat(left: Value, right: Value): string {
  return text(left, 'concatenate') + text(right, 'concatenate');
}

export function length(value: Value): number {
  if (typeof value === 'string' || value instanceof LuaTable) return value.length;
  throw LuaError.at(`attempt to get length of a ${typeName(value)} value`);
}

export function equal(left: Value, right: Value): boolean {
  return left === right;
}

export function less(left: Value, right: Value): boolean {
  return compare(left, right, (a, b) => a < b);
}

export function lessOrEqual(left: Value, right: Value): boolean {
  return compare(left, right, (a, b) => a <= b);
}

export function greater(left: Value, right: Value): boolean {
  return compare(left, right, (a, b) => a > b);
}

export function greaterOrEqual(left: Value, right: Value): boolean {
  return compare(left, right, (a, b) => a >= b);
}

/** @throws LuaError for what is no number */
export function number(value: Value): number {
  const read = typeof value === 'string' ? parseNumber(value) : value;
  if (typeof read === 'number') return read;
  throw LuaError.at(`attempt to perform arithmetic on a ${typeName(value)} value`);
}

/** @throws LuaError for what is neither a text nor a number */
export function text(value: Value, verb: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatGeneral(value, 14);
  throw LuaError.at(`attempt to ${verb} a ${typeName(value)} value`);
}

export function* ipairs(list: Value): Generator<[Value, Value]> {
  if (!(list instanceof LuaTable)) throw LuaError.at(`bad argument #1 to 'ipairs'`);
  for (let at = 1; ; at += 1) {
    const value = list.get(at);
    if (value === undefined) return;
    yield [at, value];
  }
}

export function pairs(of: Value): [Value, Value][] {
  if (!(of instanceof LuaTable)) throw LuaError.at(`bad argument #1 to 'pairs'`);
  return of.entries();
}

/** The captures, or the whole match where the pattern has none; nil where it does not match. */
export function match(subject: Value, pattern: RegExp): Value[] {
  const found = pattern.exec(text(subject, 'match'));
  if (found === null) return [undefined];
  return found.length > 1 ? found.slice(1) : [found[0]];
}

export function find(subject: Value, pattern: RegExp): Value[] {
  const found = pattern.exec(text(subject, 'search'));
  return found === null ? [undefined] : [found.index + 1, found.index + found[0].length, ...found.slice(1)];
}

export function findPlain(subject: Value, part: Value): Value[] {
  const wanted = text(part, 'search for');
  const at = text(subject, 'search').indexOf(wanted);
  return at === -1 ? [undefined] : [at + 1, at + wanted.length];
}

/** Replaces every match by a text, or by what a function makes of its captures; one that gives nothing leaves it. */
export function gsub(subject: Value, pattern: RegExp, by: Value): Value[] {
  let count = 0;
  const replaced = text(subject, 'replace in').replaceAll(pattern, (whole: string, ...rest: unknown[]) => {
    count += 1;
    if (typeof by !== 'function') return text(by, 'insert');
    const captures = rest.slice(
      0,
      rest.findIndex((one) => typeof one === 'number'),
    );
    const made = first(by(...(captures.length > 0 ? captures.map(String) : [whole])));
    return isTrue(made) ? text(made, 'insert') : whole;
  });
  return [replaced, count];
}

export function typeName(value: Value): string {
  if (value === undefined) return 'nil';
  if (value === null) return 'userdata';
  return value instanceof LuaTable ? 'table' : typeof value;
}

/** Bytes are compared one by one. */
function compare(left: Value, right: Value, by: <T extends number | string>(a: T, b: T) => boolean): boolean {
  if (typeof left === 'number' && typeof right === 'number') return by(left, right);
  if (typeof left === 'string' && typeof right === 'string') return by(left, right);
  const [a, b] = [typeName(left), typeName(right)];
  throw LuaError.at(`attempt to compare ${a === b ? `two ${a} values` : `${a} with ${b}`}`);
}
