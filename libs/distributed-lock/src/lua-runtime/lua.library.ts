import { decodeJson, encodeJson } from './lua.json.js';
import { formatGeneral, formatInteger, formatWhole, parseNumber } from './lua.numbers.js';
import { call, number, text, typeName } from './lua.operations.js';
import { LuaError, LuaTable, type LuaFunction, type Value } from './lua.values.js';

/** What Redis has beside Lua's own library. */
type RedisName = 'redis.call' | 'redis.pcall' | 'redis.error_reply' | 'redis.status_reply';

/** Of Lua's library and Redis' what the scripts use. */
export type Library = Readonly<Record<keyof typeof PURE | RedisName, LuaFunction>>;

const PURE = {
  error: (value, level) => {
    throw typeof value === 'string' && level !== 0 ? LuaError.at(value) : new LuaError(value);
  },
  pcall: (callee, ...args) => {
    try {
      return [true, ...call(callee, ...args)];
    } catch (error) {
      if (error instanceof LuaError) return [false, error.value];
      throw error;
    }
  },
  tonumber: (value, base) => [toNumber(value, base)],
  tostring: (value) => [toText(value)],
  type: (value) => [typeName(value)],
  unpack: (list, from = 1, to = tableOf(list).length) => range(tableOf(list), number(from), number(to)),
  'cjson.decode': (json) => [decodeJson(text(json, 'decode'))],
  'cjson.encode': (value) => [encodeJson(value)],
  'math.abs': (value) => [Math.abs(number(value))],
  'math.ceil': (value) => [Math.ceil(number(value))],
  'math.floor': (value) => [Math.floor(number(value))],
  'math.max': (...values) => [Math.max(...values.map(number))],
  'math.min': (...values) => [Math.min(...values.map(number))],
  'string.byte': (value) => [text(value, 'read').charCodeAt(0)],
  'string.char': (...codes) => [String.fromCharCode(...codes.map(number))],
  'string.format': (format, ...values) => [formatText(text(format, 'format'), values)],
  'string.sub': (value, from, to = -1) => [cut(text(value, 'cut'), number(from), number(to))],
  'table.concat': (list, between = '') => [
    tableOf(list)
      .items()
      .map((item) => text(item, 'join'))
      .join(text(between, 'join')),
  ],
  'table.insert': (list, place, ...more) => {
    const table = tableOf(list);
    if (more.length === 0) table.set(table.length + 1, place);
    else table.insert(number(place), more[0]);
    return [];
  },
  'table.remove': (list, place) => {
    const table = tableOf(list);
    return [
      table.length === 0 ? undefined : table.remove(place === undefined ? table.length : number(place)),
    ];
  },
} satisfies Readonly<Record<string, LuaFunction>>;

/** The library for scripts whose commands `run` does. @param run throws a LuaError for an error reply */
export function libraryOn(run: (args: readonly Value[]) => Value): Library {
  return {
    ...PURE,
    'redis.call': (...args) => [run(args)],
    'redis.pcall': (...args) => {
      try {
        return [run(args)];
      } catch (error) {
        if (error instanceof LuaError) return [error.value];
        throw error;
      }
    },
    'redis.error_reply': (message) => [new LuaTable([], [['err', text(message, 'answer')]])],
    'redis.status_reply': (message) => [new LuaTable([], [['ok', text(message, 'answer')]])],
  };
}

function toNumber(value: Value, base: Value): number | undefined {
  if (base !== undefined && number(base) !== 10) {
    const digits = [...text(value, 'read')];
    const isWhole =
      digits.length > 0 && digits.every((digit) => !Number.isNaN(Number.parseInt(digit, number(base))));
    return isWhole ? Number.parseInt(digits.join(''), number(base)) : undefined;
  }
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? parseNumber(value) : undefined;
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatGeneral(value, 14);
  return typeof value === 'boolean' ? `${value}` : typeName(value);
}

function formatText(format: string, values: readonly Value[]): string {
  let at = 0;
  const next = (): Value => {
    at += 1;
    return values[at - 1];
  };
  return format.replaceAll(/%%|%d|%s|%\.0f|%02x/g, (directive) => {
    if (directive === '%%') return '%';
    if (directive === '%s') return toText(next());
    const value = number(next());
    if (directive === '%d') return formatInteger(value);
    return directive === '%.0f' ? formatWhole(value) : Math.trunc(value).toString(16).padStart(2, '0');
  });
}

function cut(value: string, from: number, to: number): string {
  const first = from < 0 ? Math.max(value.length + from, 0) : Math.max(from - 1, 0);
  const end = to < 0 ? value.length + to + 1 : to;
  return value.slice(first, Math.max(end, first));
}

function range(list: LuaTable, from: number, to: number): Value[] {
  return Array.from({ length: Math.max(to - from + 1, 0) }, (_, index) => list.get(from + index));
}

function tableOf(value: Value): LuaTable {
  if (value instanceof LuaTable) return value;
  throw LuaError.at(`bad argument #1 (table expected, got ${typeName(value)})`);
}
