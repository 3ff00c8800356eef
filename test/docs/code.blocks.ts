import type { Page } from './page.list.js';

/** A fenced block of a page. */
export interface Fence {
  readonly page: string;
  /** The line of the page that opens it. */
  readonly line: number;
  readonly language: string;
  /** What stands behind the language, as in `ts no-run: why`. */
  readonly note: string;
  readonly code: string;
}

/** A block of TypeScript, named by its first line: `// app.module.ts`. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly file: string;
  readonly code: string;
  /** `run`: compiled and run. `no-run`: only compiled, for the `reason`. `other`: of another package, compiled where that is installed. */
  readonly use: 'run' | 'no-run' | 'other';
  readonly reason: string;
}

const FENCE = /^(?<indent> *)```(?<language>[\w+-]*)(?: +(?<note>[^\n]*))?\n(?<code>.*?)^\k<indent>```$/gms;
const NAME = /^\/\/ (?<file>[\w.-]+\.ts)\n/;
const NOTE = /^(?:no-run: (?<reason>\S.*)|(?<other>other))$/;

/** All fenced blocks of a page, in order. */
export function readFences({ path, text }: Page): Fence[] {
  return [...text.matchAll(FENCE)].map(({ groups = {}, index }) => ({
    page: path,
    line: text.slice(0, index).split('\n').length,
    language: groups['language'] ?? '',
    note: groups['note']?.trim() ?? '',
    code: groups['code'] ?? '',
  }));
}

/** The page's TypeScript, in order. A block that cannot be checked is refused: without a file name, or with a note that says nothing. */
export function readBlocks(page: Page): CodeBlock[] {
  const blocks = readFences(page)
    .filter(({ language }) => /^(?:ts|typescript|tsx|mts|cts)$/.test(language))
    .map(toBlock);
  const files = blocks.map(({ file }) => file);
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new Error(`${page.path}: two blocks are named ${twice}`);
  return blocks;
}

function toBlock({ page, line, language, note, code }: Fence): CodeBlock {
  const where = `${page}:${line}`;
  if (language !== 'ts') throw new Error(`${where}: a block of TypeScript begins with \`\`\`ts`);
  const file = NAME.exec(code)?.groups?.['file'];
  if (file === undefined)
    throw new Error(`${where}: a block of code does not begin with its file name:\n${code}`);
  if (note === '') return { page, line, file, code, use: 'run', reason: '' };
  const told = NOTE.exec(note)?.groups;
  if (told === undefined)
    throw new Error(`${where}: "${note}" is neither "no-run: <why>" nor "other" (another package's code)`);
  const { reason } = told;
  return { page, line, file, code, use: reason === undefined ? 'other' : 'no-run', reason: reason ?? '' };
}
