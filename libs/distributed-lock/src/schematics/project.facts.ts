import type ts from 'typescript';
import { listSources, readText, type FileTree } from './file.tree.js';
import { LOCK_MODULE, SCHEDULE_MODULE } from './module.wiring.js';
import { nodesOf, parseSource } from './parsed.source.js';
import type { TypeScript } from './typescript.loader.js';

/** What is known of the user's project. */
export interface ProjectFacts {
  /** The packages that its package.json names, each with its range of versions. */
  readonly packages: ReadonlyMap<string, unknown>;
  /** The file that uses the module of locks, or null. */
  readonly wiredIn: string | null;
  readonly usesScheduleModule: boolean;
  readonly callsShutdownHooks: boolean;
}

export function readFacts(ts: TypeScript, tree: FileTree, sourceRoot: string): ProjectFacts {
  // What a test sets up, the application does not have.
  const sources = listSources(tree, sourceRoot)
    .filter((path) => !/[.-](?:spec|test)\./.test(path))
    .map((path) => ({ path, members: membersIn(ts, path, readText(tree, path) ?? '') }));
  const uses = (pattern: RegExp) => sources.find(({ members }) => members.some((name) => pattern.test(name)));
  return {
    packages: readPackages(tree),
    wiredIn: uses(new RegExp(`^${LOCK_MODULE}\\.forRoot`))?.path ?? null,
    usesScheduleModule: uses(new RegExp(`^${SCHEDULE_MODULE}\\.forRoot`)) !== undefined,
    callsShutdownHooks: uses(/\.enableShutdownHooks$/) !== undefined,
  };
}

/** What a source reads of objects, as `object.member`. */
function membersIn(ts: TypeScript, path: string, text: string): string[] {
  const lastName = (node: ts.Node) =>
    ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) ? node.text : '';
  return nodesOf(ts, parseSource(ts, path, text).file)
    .filter(ts.isPropertyAccessExpression)
    .map(({ expression, name }) => `${lastName(expression)}.${name.text}`);
}

function readPackages(tree: FileTree): ReadonlyMap<string, unknown> {
  const manifest: unknown = parse(readText(tree, '/package.json') ?? '');
  const of = (field: string): [name: string, range: unknown][] => {
    const value: unknown = isRecord(manifest) ? manifest[field] : undefined;
    return isRecord(value) ? Object.entries(value) : [];
  };
  return new Map([...of('peerDependencies'), ...of('devDependencies'), ...of('dependencies')]);
}

/** @returns undefined where it is no JSON: what it names is then not known, and is listed as a next step */
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
