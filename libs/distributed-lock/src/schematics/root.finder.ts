import { readText, type FileTree } from './file.tree.js';
import { readImportStatements } from './import.reader.js';
import { TokenList } from './token.list.js';
import { UnreadableSource } from './source.scanner.js';

/** Where the module of an application stands. */
export interface RootModule {
  readonly path: string;
  /** Its class, where `main.ts` says so. */
  readonly className: string | undefined;
}

const ENTRIES = ['main.ts', 'main.js', 'main.mts', 'index.ts'];
const STARTS = new Set(['create', 'createApplicationContext', 'createMicroservice']);

/**
 * Finds the module that the application is made of: what `main.ts` gives to NestFactory, or `app.module.ts`.
 * @param sourceRoot the folder of the sources, with a slash before it
 */
export function findRootModule(tree: FileTree, sourceRoot: string): RootModule | null {
  for (const entry of ENTRIES) {
    const path = `${sourceRoot}/${entry}`;
    const text = readText(tree, path);
    const found = text === null ? null : followEntry(tree, sourceRoot, text);
    if (found) return found;
  }
  const path = ['ts', 'js'].map((ending) => `${sourceRoot}/app.module.${ending}`);
  const present = path.find((file) => readText(tree, file) !== null);
  return present === undefined ? null : { path: present, className: undefined };
}

function followEntry(tree: FileTree, folder: string, text: string): RootModule | null {
  try {
    const tokens = new TokenList(text);
    const className = startedClass(tokens);
    const statement = readImportStatements(tokens).find(({ words }) => words.includes(className ?? ''));
    if (className === undefined || statement?.from.startsWith('.') !== true) return null;
    const file = resolveSource(tree, folder, statement.from);
    return file === null ? null : { path: file, className };
  } catch (error) {
    if (error instanceof UnreadableSource) return null;
    throw error;
  }
}

/** The class that is given to `NestFactory.create…()`. */
function startedClass(tokens: TokenList): string | undefined {
  for (let index = 0; index < tokens.length - 3; index += 1) {
    if (!tokens.isWord(index, 'NestFactory') || !STARTS.has(tokens.at(index + 2).value)) continue;
    let open = index + 3;
    // Type arguments stand between the name and the parenthesis.
    while (open < tokens.length && !tokens.isMark(open, '(')) open += 1;
    if (open + 1 < tokens.length && tokens.at(open + 1).kind === 'word') return tokens.at(open + 1).value;
  }
  return undefined;
}

/** The source that a relative import means, in the words of TypeScript: `./app.module.js` is `app.module.ts`. */
function resolveSource(tree: FileTree, folder: string, specifier: string): string | null {
  const parts = folder.split('/');
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const stem = path.replace(/\.([cm]?)js$/, '');
  const files = [`${stem}.ts`, `${stem}.mts`, `${stem}.js`, `${path}.ts`, `${path}.js`, `${path}/index.ts`];
  return files.find((file) => readText(tree, file) !== null) ?? null;
}
