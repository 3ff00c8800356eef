import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const types = join(ROOT, 'node_modules/@types');
  const { ok, output } = await runCommand(
    process.execPath,
    [tsc, ...FLAGS, '--typeRoots', types, 'main.ts'],
    {
      cwd: sources,
    },
  );
  const text = ok ? 'all of the above compile, strictly' : output;
  return { check: 'types', ok, text, ms: Math.round(performance.now() - started), versions: '' };
}
