import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadTypeScript } from './typescript.loader.js';

/** A project, with a package called typescript where a source of one is given. */
function project(typescript?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'typescript-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  if (typescript !== undefined) {
    mkdirSync(join(root, 'node_modules/typescript'), { recursive: true });
    writeFileSync(join(root, 'node_modules/typescript/index.js'), typescript);
  }
  return root;
}

test('the TypeScript of a project is the one in its own node_modules', () => {
  expect(loadTypeScript(project('exports.createSourceFile = exports.version = "mine";'))?.version).toBe(
    'mine',
  );
  expect(loadTypeScript(process.cwd())?.version).toMatch(/^\d+\.\d+\./);
});

test.each([
  ['is none', undefined],
  ['reads no sources for others', 'exports.version = "7";'],
  ['cannot be loaded', 'throw new Error("broken");'],
])('a project has no TypeScript where there %s', (_case, source) => {
  expect(loadTypeScript(project(source))).toBeNull();
});
