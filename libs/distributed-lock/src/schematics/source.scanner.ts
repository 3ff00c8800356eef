/** A piece of a source text that is neither white space nor a comment. */
export interface Token {
  readonly kind: 'word' | 'mark' | 'text' | 'template' | 'number' | 'pattern';
  /** As it stands in the source; of a `text` without its quotes. */
  readonly value: string;
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** The source has something that this scanner cannot read, so nothing may be concluded from it. */
export class UnreadableSource extends Error {}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;
const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /\d[\w.]*/y;
const TEXT = /'(?:[^'\\\n]|\\[^])*'|"(?:[^"\\\n]|\\[^])*"/y;
const PATTERN = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
/** Behind these a slash begins a pattern; behind a value it divides. */
const BEFORE_VALUE = new Set(['return', 'typeof', 'case', 'in', 'of', 'delete', 'void', 'throw', 'await']);

/**
 * Reads TypeScript or JavaScript into tokens; just well enough to know what is code, what is text, and what is a comment.
 * @throws UnreadableSource
 */
export function scanSource(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    at += matchAt(SPACE, source, at).length;
    if (at === source.length) break;
    const token = readToken(source, at, tokens.at(-1));
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function readToken(source: string, start: number, before: Token | undefined): Token {
  const char = source.charAt(start);
  const make = (kind: Token['kind'], value: string, length = value.length): Token => ({
    kind,
    value,
    start,
    end: start + length,
  });
  if (char === '`') return make('template', source.slice(start, templateEnd(source, start)));
  if (char === '"' || char === "'") {
    const text = matchAt(TEXT, source, start);
    if (text === '') throw new UnreadableSource('a text does not end');
    return make('text', text.slice(1, -1), text.length);
  }
  const word = matchAt(WORD, source, start);
  if (word !== '') return make('word', word);
  const number = matchAt(NUMBER, source, start);
  if (number !== '') return make('number', number);
  if (char === '/' && source.charAt(start + 1) === '*') throw new UnreadableSource('a comment does not end');
  if (char === '/' && !endsValue(before)) {
    const pattern = matchAt(PATTERN, source, start);
    if (pattern === '') throw new UnreadableSource('a regular expression cannot be read');
    return make('pattern', pattern);
  }
  return make('mark', source.startsWith('...', start) ? '...' : char);
}

/** Whether a value may end with this token, so that a slash behind it divides. */
function endsValue(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'mark') return [')', ']', '}'].includes(token.value);
  return token.kind !== 'word' || !BEFORE_VALUE.has(token.value);
}

/** @returns the position behind a template, whose `${…}` hold code again */
function templateEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === '`') return at + 1;
    if (char === '\\') at += 2;
    else if (char === '$' && source.charAt(at + 1) === '{') at = braceEnd(source, at + 2);
    else at += 1;
  }
  throw new UnreadableSource('a template does not end');
}

/** @returns the position behind the brace that closes the one before `start` */
function braceEnd(source: string, start: number): number {
  let open = 1;
  let at = start;
  let before: Token | undefined;
  for (;;) {
    at += matchAt(SPACE, source, at).length;
    if (at >= source.length) throw new UnreadableSource('a template does not end');
    before = readToken(source, at, before);
    at = before.end;
    if (before.kind !== 'mark') continue;
    if (before.value === '{') open += 1;
    if (before.value === '}') open -= 1;
    if (open === 0) return at;
  }
}

function matchAt(expression: RegExp, source: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(source)?.[0] ?? '';
}
