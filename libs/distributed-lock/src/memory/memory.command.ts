import type { MemoryChannels } from './memory.channels.js';
import { refusal, type MemoryKeys } from './memory.keys.js';
import { parseNumber } from '../lua-runtime/lua.numbers.js';
import { LuaTable, type Value } from '../lua-runtime/lua.values.js';

/** What a command works on. */
export interface MemoryCommandContext {
  readonly keys: MemoryKeys;
  readonly channels: MemoryChannels;
}

/** A command: its arguments without its name, and its reply as a script sees it. @throws LuaError for an error reply */
export type MemoryCommand = (context: MemoryCommandContext, args: readonly string[]) => Value;

const RANGE = 2n ** 63n;

/** A reply of several. */
export function listOf(items: readonly (Value | null)[]): LuaTable {
  return new LuaTable(items.map((item) => item ?? false));
}

/** A reply of one: a script sees none as false. */
export function orFalse(value: string | undefined): Value {
  return value ?? false;
}

/** What is counted in Redis: 64 bits. @throws LuaError */
export function integerOf(
  text: string | undefined,
  message = 'ERR value is not an integer or out of range',
): bigint {
  const value = text !== undefined && /^(?:0|-?[1-9]\d*)$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value >= RANGE || value < -RANGE) throw refusal(message);
  return value;
}

/** @throws LuaError */
export function sum(value: bigint, change: bigint): bigint {
  const made = value + change;
  if (made >= RANGE || made < -RANGE) throw refusal('ERR increment or decrement would overflow');
  return made;
}

/** @throws LuaError */
export function floatOf(text: string | undefined): number {
  const value = parseNumber(text ?? '');
  if (value === undefined || Number.isNaN(value) || /\s/.test(text ?? ''))
    throw refusal('ERR value is not a valid float');
  return value;
}

/** The places from one to another in a list of that length; negative ones count from its end. */
export function span(length: number, from: string | undefined, to: string | undefined): [number, number] {
  const [first, last] = [Number(integerOf(from)), Number(integerOf(to))];
  const place = (at: number) => (at < 0 ? at + length : at);
  return [Math.max(place(first), 0), Math.max(Math.min(place(last), length - 1) + 1, 0)];
}
