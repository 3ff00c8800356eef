import { listSources, readText, type FileTree } from './file.tree.js';
import { LOCK_MODULE, SCHEDULE_MODULE } from './module.wiring.js';
import { scanSource, UnreadableSource } from './source.scanner.js';

/** What is known of the user's project. */
export interface ProjectFacts {
  /** The packages that its package.json names, each with its range of versions. */
  readonly packages: ReadonlyMap<string, unknown>;
  /** The file that uses the module of locks, or null. */
  readonly wiredIn: string | null;
  readonly usesScheduleModule: boolean;
  readonly callsShutdownHooks: boolean;
}

export function readFacts(tree: FileTree, sourceRoot: string): ProjectFacts {
  // What a test sets up, the application does not have.
  const sources = listSources(tree, sourceRoot)
    .filter((path) => !/[.-](?:spec|test)\./.test(path))
    .map((path) => ({ path, code: codeOf(readText(tree, path) ?? '') }));
  const has = (word: string) => sources.some(({ code }) => code.includes(word));
  const wired = sources.find(({ code }) => code.includes(`${LOCK_MODULE}.forRoot`));
  return {
    packages: readPackages(tree),
    wiredIn: wired?.path ?? null,
    usesScheduleModule: has(`${SCHEDULE_MODULE}.forRoot`),
    callsShutdownHooks: has('enableShutdownHooks('),
  };
}

/** Without what only stands in comments or in texts. @returns the text itself where it cannot be read */
function codeOf(source: string): string {
  try {
    return scanSource(source)
      .map(({ kind, value }) => (kind === 'word' || kind === 'mark' ? value : ' '))
      .join('');
  } catch (error) {
    if (error instanceof UnreadableSource) return source;
    throw error;
  }
}

function readPackages(tree: FileTree): ReadonlyMap<string, unknown> {
  const manifest: unknown = parse(readText(tree, '/package.json') ?? '');
  const of = (field: string): [name: string, range: unknown][] => {
    const value: unknown = isRecord(manifest) ? manifest[field] : undefined;
    return isRecord(value) ? Object.entries(value) : [];
  };
  return new Map([...of('peerDependencies'), ...of('devDependencies'), ...of('dependencies')]);
}

/** @returns undefined where it is no JSON: what it names is then not known, and is told as a next step */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
