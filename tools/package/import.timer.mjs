import { join } from 'node:path';
import { build } from 'esbuild';
import { MODULES } from '../build/library.bundler.mjs';
import { ROOT } from '../build/node.runner.mjs';

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */

/** Both take turns in processes of their own, and the best time of each counts: a machine that others use only makes them longer. */
const ROUNDS = { least: 3, most: 30 };

/**
 * How long the package takes to be imported where Nest and ioredis are loaded, against one file that has all of its code.
 * @param {PackageStage} stage
 * @param {number} enough a quotient that needs no further look
 * @returns {Promise<{ packed: number, bare: number }>} in ms
 */
export async function timeImport(stage, enough) {
  const bareFile = join(stage.folder, 'bare.mjs');
  await build({
    entryPoints: [join(ROOT, MODULES, 'index.js')],
    outfile: bareFile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  const best = { packed: Infinity, bare: Infinity };
  for (let round = 0; round < ROUNDS.most; round += 1) {
    if (round >= ROUNDS.least && best.packed <= best.bare * enough) break;
    best.packed = Math.min(best.packed, await timeOnce(stage, stage.manifest.name));
    best.bare = Math.min(best.bare, await timeOnce(stage, './bare.mjs'));
  }
  return best;
}

/**
 * @param {PackageStage} stage
 * @param {string} target
 */
async function timeOnce(stage, target) {
  const { ok, output } = await stage.run(
    'import.mjs',
    `import 'reflect-metadata';
    import '@nestjs/common';
    import '@nestjs/core';
    import 'ioredis';
    const began = performance.now();
    await import('${target}');
    console.log(performance.now() - began);`,
  );
  if (!ok) throw new Error(`${target} cannot be imported:\n${output}`);
  return Number(output);
}
