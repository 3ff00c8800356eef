import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A block of code in a page, named by its first line: `// app.module.ts`. */
export interface CodeBlock {
  readonly file: string;
  readonly code: string;
}

const BLOCK = /^```ts\n(?<code>.*?)^```$/gms;
const NAME = /^\/\/ (?<file>[\w.-]+\.ts)\n/;

/** The page's TypeScript, in order. A block without a file name cannot be checked, and is refused. */
export function readBlocks(page: string): CodeBlock[] {
  return [...readFileSync(page, 'utf8').matchAll(BLOCK)].map(({ groups }) => {
    const code = groups?.['code'] ?? '';
    const file = NAME.exec(code)?.groups?.['file'];
    if (file === undefined)
      throw new Error(`${page}: a block of code does not begin with its file name:\n${code}`);
    return { file, code };
  });
}

/** Writes the blocks to `folder` and compiles them as a user's project would be. @returns what the compiler has to say */
export function compileBlocks(blocks: readonly CodeBlock[], folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = blocks.map(({ file, code }) => {
    const path = join(folder, file);
    writeFileSync(path, code);
    return path;
  });
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noUncheckedIndexedAccess: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    types: ['node'],
  });
  const { diagnostics } = program.emit();
  return [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ file, messageText }) => {
    return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
