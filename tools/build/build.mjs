/**
 * Builds everything, or with `lib` only the library: Lua, ES modules and CommonJS, the sample app, the tests' workers.
 * What is up to date is left alone.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { embedLua } from '../lua/embed.mjs';
import { ROOT, runNode } from './node.runner.mjs';
import { removeOrphans } from './orphan.remover.mjs';
import { runStage } from './stage.runner.mjs';

const require = createRequire(import.meta.url);
const TSC = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const NEST = join(dirname(require.resolve('@nestjs/cli/package.json')), 'bin/nest.js');
const LIBRARY = 'libs/distributed-lock';
/** What `bin` in package.json names. */
const COMMAND = 'dist/esm/cli/main.js';

/** @param {'esm' | 'cjs'} format */
function buildLibrary(format) {
  return runStage({
    name: format,
    inputs: [LIBRARY],
    outputs: [`dist/${format}`],
    run: async () => {
      await removeOrphans(`${LIBRARY}/src`, `dist/${format}`);
      const built = await runNode(TSC, [
        '-p',
        `${LIBRARY}/tsconfig.${format === 'esm' ? 'lib' : 'cjs'}.json`,
      ]);
      // The root says "module": the copy for require() has to say otherwise for its own folder.
      if (format === 'cjs') await writePackageType('dist/cjs', 'commonjs');
      // The compiler keeps the first line, and knows nothing of rights.
      else if (built) await chmod(join(ROOT, COMMAND), 0o755);
      return built;
    },
  });
}

/**
 * @param {string} folder
 * @param {string} type
 */
async function writePackageType(folder, type) {
  await mkdir(join(ROOT, folder), { recursive: true });
  await writeFile(join(ROOT, folder, 'package.json'), `{ "type": "${type}" }\n`);
}

async function buildSampleApp() {
  if (!existsSync(join(ROOT, 'sample-app/src'))) return true;
  return runStage({
    name: 'sample-app',
    inputs: [LIBRARY, 'sample-app'],
    outputs: ['dist/sample-app'],
    run: async () => {
      await removeOrphans('sample-app/src', 'dist/sample-app');
      return runNode(NEST, ['build', 'sample-app']);
    },
  });
}

async function buildWorkers() {
  if (!existsSync(join(ROOT, 'test/workers'))) return true;
  return runStage({
    name: 'workers',
    inputs: [LIBRARY, 'test', 'tools/redis'],
    outputs: ['dist/test', 'dist/tools'],
    run: async () => {
      await Promise.all([removeOrphans('test', 'dist/test'), removeOrphans('tools', 'dist/tools')]);
      return runNode(TSC, ['-p', 'test/tsconfig.workers.json']);
    },
  });
}

/** @param {Promise<boolean>[]} stages */
const all = async (...stages) => (await Promise.all(stages)).every(Boolean);

const onlyLibrary = process.argv.includes('lib');
const started = performance.now();
const library = (await embedLua({ check: false })) && (await all(buildLibrary('esm'), buildLibrary('cjs')));
const done = library && (onlyLibrary || (await all(buildSampleApp(), buildWorkers())));
console.log(`${done ? 'built' : 'BUILD FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
if (!done) process.exitCode = 1;
