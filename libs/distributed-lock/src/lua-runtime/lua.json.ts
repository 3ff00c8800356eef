import { formatGeneral } from './lua.numbers.js';
import { LuaError, LuaTable, type Value } from './lua.values.js';

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** A list of which more than half is holes is refused, once it is longer than this. */
const SAFE_LENGTH = 10;

/** JSON as `cjson.encode` writes it: numbers with 14 digits, slashes escaped, an empty table as an object. */
export function encodeJson(value: Value): string {
  switch (typeof value) {
    case 'string':
      return encodeText(value);
    case 'number':
      if (!Number.isFinite(value)) throw LuaError.at('Cannot serialise number: must not be NaN or Inf');
      return formatGeneral(value, 14);
    case 'boolean':
      return `${value}`;
    case 'undefined':
      return 'null';
    case 'function':
      throw LuaError.at('Cannot serialise function: type not supported');
    default:
      return value === null ? 'null' : encodeTable(value);
  }
}

/** What `cjson.decode` makes of a text of bytes. @throws LuaError for what is no JSON */
export function decodeJson(text: string): Value {
  try {
    return toValue(JSON.parse(escapesToBytes(text)));
  } catch {
    throw LuaError.at('Expected value but found invalid token');
  }
}

function encodeText(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what is escaped
  const escaped = text.replaceAll(/["\\/\u0000-\u001f\u007f]/g, (character) => {
    return ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

function encodeTable(table: LuaTable): string {
  const entries = table.entries();
  const isList =
    entries.length > 0 && entries.every(([key]) => typeof key === 'number' && key >= 1 && key % 1 === 0);
  if (!isList)
    return `{${entries.map(([key, value]) => `${encodeKey(key)}:${encodeJson(value)}`).join(',')}}`;
  const last = Math.max(...entries.map(([key]) => Number(key)));
  if (last > SAFE_LENGTH && last > entries.length * 2)
    throw LuaError.at('Cannot serialise table: excessively sparse array');
  return `[${Array.from({ length: last }, (_, index) => encodeJson(table.get(index + 1))).join(',')}]`;
}

function encodeKey(key: Value): string {
  if (typeof key === 'string') return encodeText(key);
  if (typeof key === 'number') return `"${formatGeneral(key, 14)}"`;
  throw LuaError.at('Cannot serialise table: table key must be a number or string');
}

/** An escaped character stands for its bytes in UTF-8, as the other characters of the text do. */
function escapesToBytes(text: string): string {
  return text.replaceAll(/\\(?:u[\da-fA-F]{4}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|[^u])/g, (escape) => {
    if (!escape.startsWith('\\u')) return escape;
    const plain: unknown = JSON.parse(`"${escape}"`);
    const isAscii = /^[\0-\u007f]$/.test(String(plain));
    return isAscii ? escape : Buffer.from(String(plain), 'utf8').toString('latin1');
  });
}

function toValue(json: unknown): Value {
  if (Array.isArray(json)) return new LuaTable(json.map(toValue));
  if (typeof json === 'object' && json !== null)
    return new LuaTable(
      [],
      Object.entries(json).map(([key, value]) => [key, toValue(value)]),
    );
  return typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean' ? json : null;
}
