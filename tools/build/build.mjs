/**
 * Builds everything, or with `lib` only the library: Lua, the bundles for ES modules and CommonJS, the page of the dashboard, the sample app,
 * the tests' workers.
 * What is up to date is left alone.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { embedLua } from '../lua/embed.mjs';
import { TSC } from './compilers.mjs';
import { bundleLibrary, MODULES } from './library.bundler.mjs';
import { ROOT, runNode } from './node.runner.mjs';
import { removeOrphans } from './orphan.remover.mjs';
import { runStage } from './stage.runner.mjs';
import { BUNDLED, bundleWorkers } from './worker.bundler.mjs';

const require = createRequire(import.meta.url);
const NEST = join(dirname(require.resolve('@nestjs/cli/package.json')), 'bin/nest.js');
const VITE = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');
const LIBRARY = 'libs/distributed-lock';
const PAGE = 'libs/dashboard-page';

/** One module for each source, then the bundles that are packed. */
async function buildLibrary() {
  const compiled = await runStage({
    name: 'modules',
    inputs: [LIBRARY],
    outputs: [MODULES],
    run: async () => {
      await removeOrphans(`${LIBRARY}/src`, MODULES);
      return runNode(TSC, ['-p', `${LIBRARY}/tsconfig.lib.json`]);
    },
  });
  if (!compiled) return false;
  return runStage({
    name: 'bundles',
    inputs: [LIBRARY, 'schematics'],
    outputs: ['dist/esm', 'dist/cjs'],
    run: bundleLibrary,
  });
}

/** The page of the dashboard. Of the library it has types alone. */
async function buildPage() {
  return runStage({
    name: 'page',
    inputs: [PAGE, `${LIBRARY}/src/dashboard/dashboard.model.ts`],
    outputs: ['dist/page'],
    run: () => runNode(VITE, ['build', '--config', `${PAGE}/vite.config.mjs`]),
  });
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
  const compiled = await runStage({
    name: 'workers',
    inputs: [LIBRARY, 'test', 'tools/redis', 'tools/porcupine'],
    outputs: ['dist/test', 'dist/tools'],
    run: async () => {
      await Promise.all([removeOrphans('test', 'dist/test'), removeOrphans('tools', 'dist/tools')]);
      return runNode(TSC, ['-p', 'test/tsconfig.workers.json']);
    },
  });
  if (!compiled) return false;
  return runStage({
    name: 'bundled workers',
    inputs: [LIBRARY, 'test/workers', 'test/support'],
    outputs: [BUNDLED],
    run: bundleWorkers,
  });
}

/** @param {Promise<boolean>[]} stages */
const all = async (...stages) => (await Promise.all(stages)).every(Boolean);

const onlyLibrary = process.argv.includes('lib');
const started = performance.now();
const library = (await embedLua()) && (await all(buildLibrary(), buildPage()));
const done = library && (onlyLibrary || (await all(buildSampleApp(), buildWorkers())));
console.log(`${done ? 'built' : 'BUILD FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
if (!done) process.exitCode = 1;
