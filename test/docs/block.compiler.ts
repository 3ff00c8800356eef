import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import type { CodeBlock } from './code.blocks.js';

const IMPORT = /\bfrom '(?<name>(?:@[\w.-]+\/)?[\w-][\w.-]*)/g;

export interface Compilation {
  /** What the compiler has to say, with the place in the page. */
  readonly problems: readonly string[];
  /** The script of a block that was compiled. */
  scriptOf(block: CodeBlock): string;
}

/** Blocks of other packages that are not installed, each with the package that it lacks. */
export function findMissing(blocks: readonly CodeBlock[]): Map<CodeBlock, string> {
  const missing = new Map<CodeBlock, string>();
  for (const block of blocks.filter(({ use }) => use === 'other')) {
    const names = [...block.code.matchAll(IMPORT)].map(({ groups }) => groups?.['name'] ?? '');
    const lacking = names.find((name) => !isInstalled(name));
    if (lacking !== undefined) missing.set(block, lacking);
  }
  return missing;
}

function isInstalled(name: string): boolean {
  if (name === 'nestjs-distributed-lock') return true;
  const paths = createRequire(join(process.cwd(), 'package.json')).resolve.paths(name) ?? [];
  return paths.some((path) => ts.sys.directoryExists(join(path, name)));
}

/**
 * Writes the blocks below `folder`, those of each page in a folder of their own so that they find each other, and compiles them as a
 * user's project would be.
 */
export function compileBlocks(blocks: readonly CodeBlock[], folder: string): Compilation {
  rmSync(folder, { recursive: true, force: true });
  const places = new Map(blocks.map((block) => [pathOf(block, folder), block]));
  for (const [path, { code }] of places) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const program = ts.createProgram([...places.keys()], {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    types: ['node'],
  });
  const { diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map((diagnostic) =>
    tell(diagnostic, places),
  );
  return { problems, scriptOf: (block) => pathOf(block, folder).replace(/\.ts$/, '.js') };
}

function pathOf({ page, file }: CodeBlock, folder: string): string {
  return join(folder, page.replace(/\.md$/, ''), file);
}

function tell(
  { file, start = 0, messageText }: ts.Diagnostic,
  places: ReadonlyMap<string, CodeBlock>,
): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (file === undefined) return text;
  const path = join(file.fileName);
  const block = places.get(path);
  const line = file.getLineAndCharacterOfPosition(start).line + 1;
  return block === undefined
    ? `${relative(process.cwd(), path)}:${line}: ${text}`
    : `${block.page}:${block.line + line} (${block.file}): ${text}`;
}
