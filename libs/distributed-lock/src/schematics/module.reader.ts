import type { TokenList } from './token.list.js';

/** A list of modules in a decorator: the tokens of its brackets. */
export interface ModuleList {
  readonly open: number;
  readonly close: number;
}

/** What was found of a class with `@Module({ … })`; numbers are indexes of tokens. */
export interface DecoratedModule {
  readonly className: string;
  /** The braces of the decorator's argument. */
  readonly open: number;
  readonly close: number;
  /** The array of its `imports`, or null where it has none. */
  readonly imports: ModuleList | null;
}

/** Why a module cannot be changed by a program. */
export class NotUnderstood extends Error {}

/**
 * Finds the module to wire.
 * @param wanted the class that the application is made of, where that is known
 * @throws NotUnderstood where it is written in a way that this program does not know
 */
export function readModule(tokens: TokenList, wanted: string | undefined): DecoratedModule {
  const all = [...findDecorators(tokens)].map((at) => ({ at, className: classBehind(tokens, at) }));
  const found = all.find(({ className }) => className === wanted) ?? (all.length === 1 ? all[0] : undefined);
  if (found === undefined) {
    throw new NotUnderstood(
      all.length === 0 ? 'it has no class with @Module({ … })' : 'it has several classes with @Module({ … })',
    );
  }
  const open = found.at + 3;
  const close = tokens.closerOf(open);
  if (!tokens.isMark(open, '{') || close === undefined || !tokens.isMark(close + 1, ')'))
    throw new NotUnderstood('what is given to @Module() is not written in place');
  return { className: found.className, open, close, imports: readImports(tokens, open, close) };
}

function* findDecorators(tokens: TokenList): Generator<number> {
  for (const index of tokens.level(0, tokens.length)) {
    const isDecorator =
      tokens.isMark(index, '@') && tokens.isWord(index + 1, 'Module') && tokens.isMark(index + 2, '(');
    if (isDecorator) yield index;
  }
}

/** The name of the class that a decorator stands before. */
function classBehind(tokens: TokenList, decorator: number): string {
  for (const index of tokens.level(decorator, tokens.length)) {
    if (tokens.isWord(index, 'class')) return tokens.at(index + 1).value;
  }
  throw new NotUnderstood('@Module() stands before no class');
}

function readImports(tokens: TokenList, open: number, close: number): ModuleList | null {
  let hasSpread = false;
  let found: ModuleList | null = null;
  for (const start of propertiesOf(tokens, open, close)) {
    const { kind, value } = tokens.at(start);
    if (tokens.isMark(start, '...')) hasSpread = true;
    if (value !== 'imports' || (kind !== 'word' && kind !== 'text')) continue;
    if (found !== null) throw new NotUnderstood('its imports are given twice');
    found = readArray(tokens, start + 1);
  }
  if (found === null && hasSpread) throw new NotUnderstood('its imports may come from what it spreads');
  return found;
}

/** @param colon the index behind the property's name */
function readArray(tokens: TokenList, colon: number): ModuleList {
  const open = colon + 1;
  const close = tokens.closerOf(open);
  const isWhole =
    close !== undefined && (tokens.isMark(close + 1, ',') || tokens.isMark(close + 1, '}')) === true;
  if (!tokens.isMark(colon, ':') || !tokens.isMark(open, '[') || !isWhole)
    throw new NotUnderstood('its imports are not an array that is written in place');
  return { open, close };
}

/** The indexes of the first tokens of an object's properties, or of an array's elements. */
export function propertiesOf(tokens: TokenList, open: number, close: number): number[] {
  const starts: number[] = [];
  let isStart = true;
  for (const index of tokens.level(open + 1, close)) {
    const isComma = tokens.isMark(index, ',');
    if (isStart && !isComma) starts.push(index);
    isStart = isComma;
  }
  return starts;
}
