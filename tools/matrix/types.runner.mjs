import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TSC, TSC_6 } from '../build/compilers.mjs';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';

const FLAGS = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'],
  ...['--experimentalDecorators', '--emitDecoratorMetadata', '--esModuleInterop'],
  ...['--module', 'nodenext', '--target', 'es2023', '--types', 'node'],
];

/**
 * Lets the compiler read the applications as a user's project of that format has them.
 * @param {string} folder that of the combination
 * @param {'esm' | 'cjs'} format
 * @returns {Promise<import('./cell.runner.mjs').Cell>}
 */
export async function checkTypes(folder, format) {
  const started = performance.now();
  const sources = join(folder, `types-${format}`);
  await cp(join(ROOT, 'test/matrix/apps'), sources, { recursive: true });
  const type = format === 'esm' ? 'module' : 'commonjs';
  await writeFile(join(sources, 'package.json'), JSON.stringify({ private: true, type }));
  const types = join(ROOT, 'node_modules/@types');
  let ok = true;
  let text = 'all of the above compile, strictly, by TypeScript 7 and 6';
  for (const compiler of [TSC, TSC_6]) {
    const words = [compiler, ...FLAGS, '--typeRoots', types, 'main.ts'];
    const compiled = await runCommand(process.execPath, words, { cwd: sources });
    if (compiled.ok) continue;
    ok = false;
    text = compiled.output;
  }
  return { check: 'types', ok, text, ms: Math.round(performance.now() - started), versions: '' };
}
