/** The parameters of a function, as read from its text. */
export interface Parameters {
  /** The name of each; undefined for one that is destructured. */
  readonly names: readonly (string | undefined)[];
  /** The names in those that are destructured. */
  readonly inner: readonly string[];
  /** Undefined where a call may have more arguments than there are parameters. */
  readonly parameterCount: number | undefined;
  /**
   * Whether a name that is missing here is certainly no parameter of the method: a wrapper hides them behind `...args`. Minified names count
   * as known, for the same code has been started before it was minified, and a build must not refuse what development accepts.
   */
  readonly areKnown: boolean;
}

const UNKNOWN: Parameters = { names: [], inner: [], parameterCount: undefined, areKnown: false };

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Reads the parameters of a method. The names serve to find a mistake, and never to make a lock's name: a build may change them.
 */
export function readParameters(method: object): Parameters {
  if (typeof method !== 'function') return UNKNOWN;
  const text = Function.prototype.toString.call(method);
  const parts = /\{\s*\[native code\]\s*\}$/.test(text) ? undefined : listOf(text);
  if (parts === undefined) return UNKNOWN;
  const hasRest = parts.some((part) => part.startsWith('...'));
  const hasMore = hasRest || /\barguments\b/.test(text);
  const names = parts
    .filter((part) => !part.startsWith('...'))
    .map((part) => /^([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?:=|$)/u.exec(part)?.[1]);
  const inner = parts
    .filter((part) => /^[{[]/.test(part))
    .flatMap((part) => part.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu) ?? []);
  return { names, inner, parameterCount: hasMore ? undefined : names.length, areKnown: !hasRest };
}

/** The parameters, one by one; undefined where the text has none that can be found, as that of a native function. */
function listOf(text: string): string[] | undefined {
  const parts: string[] = [];
  const open: string[] = [];
  let part = '';
  let isInList = false;
  for (let at = 0; at < text.length;) {
    const skipped = skipAt(text, at);
    if (skipped > at) {
      // A comment is skipped, and a quote only shows that there is a default.
      if (isInList && text[at] !== '/') part += '"';
      at = skipped;
      continue;
    }
    const character = text.charAt(at);
    at += 1;
    if (PAIRS[character] !== undefined) {
      const isList = character === '(' && open.length === 0 && !isInList;
      open.push(PAIRS[character]);
      if (isList) {
        isInList = true;
        continue;
      }
    } else if (character === open.at(-1)) {
      open.pop();
      if (isInList && open.length === 0) return [...parts, part].map((each) => each.trim()).filter(Boolean);
    } else if (character === ',' && isInList && open.length === 1) {
      parts.push(part);
      part = '';
      continue;
    } else if (!isInList && character === '=' && text.charAt(at) === '>') {
      // An arrow function with one parameter may have no parentheses.
      return [
        text
          .slice(0, at - 1)
          .replace(/^async\s/, '')
          .trim(),
      ];
    }
    if (isInList) part += character;
  }
  return undefined;
}

/** Where a comment, or a text in quotes, ends that begins at `at`; `at` itself where none begins. */
function skipAt(text: string, at: number): number {
  const rest = text.slice(at, at + 2);
  if (rest === '//') return endOf(text, text.indexOf('\n', at), 1);
  if (rest === '/*') return endOf(text, text.indexOf('*/', at + 2), 2);
  const quote = text.charAt(at);
  if (quote !== '"' && quote !== "'" && quote !== '`') return at;
  let end = at + 1;
  while (end < text.length && text.charAt(end) !== quote) end += text.charAt(end) === '\\' ? 2 : 1;
  return end + 1;
}

function endOf(text: string, found: number, length: number): number {
  return found === -1 ? text.length : found + length;
}
