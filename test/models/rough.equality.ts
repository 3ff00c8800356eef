import { HOLDERS, PERMITS, STRANGE } from './script.calls.js';

/** What may pass between the two stores, in ms. */
const TOLERANCE = 1400;
/** Any of what may be a holder. */
const FIELDS = new Set(
  [...HOLDERS, ...PERMITS, ...STRANGE, 'mode'].flatMap((name) => [name, `${name}:write`]),
);
/** From here on a number is a time, or counted from one. */
const TIMES = 100;

/** The first difference between what two stores did at nearly the same time; undefined where there is none. */
export function differenceOf(found: unknown, expected: unknown, path = ''): string | undefined {
  if (Object.is(found, expected)) return undefined;
  if (typeof found === 'number' && typeof expected === 'number') return numbers(found, expected, path);
  if (typeof found === 'string' && typeof expected === 'string') return texts(found, expected, path);
  if (!isObject(found) || !isObject(expected)) return say(found, expected, path);
  if (path === '.reply.4' && Array.isArray(found) && Array.isArray(expected))
    return differenceOf(fieldsOf(found), fieldsOf(expected), `${path}.fields`);
  // Of several keys of a wrong type either may be named.
  if (isMistyped(found) && isMistyped(expected)) return undefined;
  const names = new Set([...Object.keys(found), ...Object.keys(expected)]);
  for (const name of names) {
    const difference = differenceOf(Reflect.get(found, name), Reflect.get(expected, name), `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function numbers(found: number, expected: number, path: string): string | undefined {
  // Microseconds have more digits than ms.
  const tolerance =
    Math.abs(expected) > 1e15 ? TOLERANCE * 1000 : Math.abs(expected) >= TIMES ? TOLERANCE : 0;
  // A score is told from the store's now, and one that is now may be a little before or behind it.
  const isNow = path.includes('.scores.') && Math.abs(found - expected) < TOLERANCE;
  return isNow || Math.abs(found - expected) <= tolerance ? undefined : say(found, expected, path);
}

function texts(found: string, expected: string, path: string): string | undefined {
  const [a, b] = [Number(found), Number(expected)];
  if (found !== '' && expected !== '' && Math.abs(b) >= 1e9 && Math.abs(b) < 1e17) return numbers(a, b, path);
  // The next tick of a job is noted with the mark that it follows.
  if (path.endsWith('.next') && found.includes(' ') && expected.includes(' '))
    return differenceOf(found.split(' ').map(Number), expected.split(' ').map(Number), path);
  const [left, right] = [parsed(found), parsed(expected)];
  if (left !== undefined && right !== undefined) return differenceOf(left, right, path);
  // Of several holders Redis names any one.
  const isReply = path.startsWith('.reply');
  if (isReply && FIELDS.has(found) && FIELDS.has(expected)) return undefined;
  if (withoutPlace(found) === withoutPlace(expected)) return undefined;
  return say(found, expected, path);
}

function isMistyped(row: object): boolean {
  return Array.isArray(row) && row[0] === -1 && String(row[1]).startsWith('WRONGTYPE ');
}

/** The reply of HGETALL, whose order is Redis' own for a large hash. */
function fieldsOf(pairs: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    pairs.flatMap((name, at) => (at % 2 === 0 ? [[String(name), pairs[at + 1]]] : [])),
  );
}

/** An object or a list of JSON, whose fields may come in any order. */
function parsed(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Redis names the place in the script; the store in memory has none. */
function withoutPlace(text: string): string {
  return text
    .replace(/^(?:RedisFailure|ReplyError): /, '')
    .replace(/ script: [\da-f]{40}, on .*$/s, '')
    .replace(/^(?:ERR )?(?:@?user_script:\s*\d+:\s*)?/, '')
    .replace(/ held by \S+/, ' held by ?')
    .trim();
}

function say(found: unknown, expected: unknown, path: string): string {
  return `${path || 'the whole'} is ${JSON.stringify(found)} in memory and ${JSON.stringify(expected)} in Redis`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
