import { readText, type FileTree } from './file.tree.js';
import { readImportStatements } from './import.reader.js';
import { nodesOf, parseSource, type ParsedSource } from './parsed.source.js';
import type { TypeScript } from './typescript.loader.js';

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
export function findRootModule(ts: TypeScript, tree: FileTree, sourceRoot: string): RootModule | null {
  for (const entry of ENTRIES) {
    const path = `${sourceRoot}/${entry}`;
    const text = readText(tree, path);
    const found = text === null ? null : followEntry(tree, sourceRoot, parseSource(ts, path, text));
    if (found) return found;
  }
  const path = ['ts', 'js'].map((ending) => `${sourceRoot}/app.module.${ending}`);
  const present = path.find((file) => readText(tree, file) !== null);
  return present === undefined ? null : { path: present, className: undefined };
}

function followEntry(tree: FileTree, folder: string, entry: ParsedSource): RootModule | null {
  const className = startedClass(entry);
  const statement = readImportStatements(entry).find(({ names }) =>
    names.some(({ local }) => local === className),
  );
  if (className === undefined || statement?.from.startsWith('.') !== true) return null;
  const file = resolveSource(tree, folder, statement.from);
  return file === null ? null : { path: file, className };
}

/** The class that is given to `NestFactory.create…()`, or that its argument begins with. */
function startedClass({ ts, file }: ParsedSource): string | undefined {
  for (const node of nodesOf(ts, file)) {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) continue;
    const { expression: factory, name } = node.expression;
    const [argument] = node.arguments;
    if (factory.getText(file) === 'NestFactory' && STARTS.has(name.text) && argument !== undefined)
      return argument.getFirstToken(file)?.getText(file) ?? argument.getText(file);
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
