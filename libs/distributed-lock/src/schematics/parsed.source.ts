import type ts from 'typescript';
import type { TypeScript } from './typescript.loader.js';

/** A source of the user's project, as the TypeScript of that project reads it. */
export interface ParsedSource {
  readonly ts: TypeScript;
  readonly file: ts.SourceFile;
}

/** Why a module cannot be changed by a program. */
export class NotUnderstood extends Error {}

/** Reads a source, even one with errors. */
export function parseSource(ts: TypeScript, path: string, text: string): ParsedSource {
  return { ts, file: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/** @throws NotUnderstood where a source has an error of syntax */
export function requireSyntax({ ts, file }: ParsedSource): void {
  const { diagnostics = [] } = ts.transpileModule(file.text, {
    fileName: file.fileName,
    reportDiagnostics: true,
    compilerOptions: { experimentalDecorators: true, target: ts.ScriptTarget.ES2022 },
  });
  const [first] = diagnostics;
  if (first === undefined) return;
  const { line } = file.getLineAndCharacterOfPosition(first.start ?? 0);
  throw new NotUnderstood(`line ${line + 1}: ${ts.flattenDiagnosticMessageText(first.messageText, ' ')}`);
}

/** A node and all that it consists of, in the order of the source. */
export function nodesOf(ts: TypeScript, root: ts.Node): ts.Node[] {
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(root);
  return found;
}
