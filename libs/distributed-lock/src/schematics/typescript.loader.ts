import { createRequire } from 'node:module';
import { join } from 'node:path';
import type ts from 'typescript';

/** The compiler, as a project has it. */
export type TypeScript = typeof ts;

/** @returns the TypeScript of the project in a folder; null where it has none, or one that reads no sources for others */
export function loadTypeScript(root: string): TypeScript | null {
  try {
    const loaded: unknown = createRequire(join(root, 'package.json'))('typescript');
    return isTypeScript(loaded) ? loaded : null;
  } catch {
    return null;
  }
}

function isTypeScript(loaded: unknown): loaded is TypeScript {
  return typeof loaded === 'object' && loaded !== null && 'createSourceFile' in loaded;
}
