import type { TokenList } from './token.list.js';

/** One `import … from '…'`. */
export interface ImportStatement {
  readonly from: string;
  /** The words of its clause: names, and what they were called. */
  readonly words: readonly string[];
  /** Positions in the source: of its first character, and behind its last one. */
  readonly start: number;
  readonly end: number;
  /** As the file writes them. */
  readonly quote: string;
  readonly semicolon: boolean;
}

/** The import statements of a file, in their order; `import()` and `import x = require()` are none. */
export function readImportStatements(tokens: TokenList): ImportStatement[] {
  const found: ImportStatement[] = [];
  for (const index of tokens.level(0, tokens.length)) {
    if (tokens.isWord(index, 'import') && !tokens.isMark(index - 1, '.')) {
      const statement = readStatement(tokens, index);
      if (statement) found.push(statement);
    }
  }
  return found;
}

function readStatement(tokens: TokenList, first: number): ImportStatement | null {
  const words: string[] = [];
  for (let index = first + 1; index < tokens.length; index += 1) {
    const { kind, value, start } = tokens.at(index);
    if (kind === 'word') words.push(value);
    else if (kind === 'text') {
      const last = attributesEnd(tokens, index + 1) ?? index;
      const semicolon = tokens.isMark(last + 1, ';');
      return {
        from: value,
        words,
        start: tokens.at(first).start,
        end: tokens.at(semicolon ? last + 1 : last).end,
        quote: tokens.source.charAt(start),
        semicolon,
      };
    } else if (kind !== 'mark' || !['{', '}', ',', '*'].includes(value)) return null;
  }
  return null;
}

/** `with { type: 'json' }`. @returns the index of its closing brace; undefined where there is none */
function attributesEnd(tokens: TokenList, index: number): number | undefined {
  const isKey = tokens.isWord(index, 'with') || tokens.isWord(index, 'assert');
  return isKey && tokens.isMark(index + 1, '{') ? tokens.closerOf(index + 1) : undefined;
}
