/**
 * The compatibility matrix: "npm run test:matrix". One line for each cell: what it is, which versions ran, what was seen.
 * "--nest 12", "--ioredis 6", "--format esm" leave out the rest; further words name checks. "--table" prints Markdown.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedis } from '../redis/redis.runner.mjs';
import { runCells } from './cell.runner.mjs';
import { COMBINATIONS, TESTED } from './cells.mjs';
import { versionOf } from './installs.mjs';
import { MatrixStages } from './stages.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nest: { type: 'string' },
    ioredis: { type: 'string' },
    format: { type: 'string' },
  },
});
const checks = positionals.length > 0 ? positionals : Object.keys(TESTED);
const chosen = COMBINATIONS.filter(
  ({ nest, ioredis, format }) =>
    (values.nest ?? nest) === nest &&
    (values.ioredis ?? ioredis) === ioredis &&
    (values.format ?? format) === format,
);

const started = performance.now();
const stages = new MatrixStages();
const redis = await startRedis();
let passed = 0;
let failed = 0;

/** @param {import('./cells.mjs').Combination} combination @param {string} folder */
async function runCombination({ nest, ioredis, format }, folder) {
  const core = await versionOf(join(folder, '../node_modules/@nestjs/core'));
  const client = await versionOf(join(folder, 'node_modules/ioredis'));
  const where = `Nest ${core}, ioredis ${client}, ${format === 'esm' ? 'ESM' : 'CommonJS'}`;
  if (!core.startsWith(`${nest}.`) || !client.startsWith(`${ioredis}.`))
    throw new Error(`${where} is not what was asked for`);
  for (const { check, ok, text, ms, versions } of await runCells(folder, format, redis.url, checks)) {
    console.log(
      `${ok ? 'ok    ' : 'FAILED'} ${where} · ${check}${versions && ` (${versions})`}: ${text} [${ms} ms]`,
    );
    if (ok) passed += 1;
    else failed += 1;
  }
}

try {
  // Installations of different packages run side by side; so do two combinations, which mostly wait.
  const pairs = [...new Set(chosen.map(({ nest, ioredis }) => `${nest} ${ioredis}`))];
  const folders = new Map();
  for (const pair of pairs) {
    const [nest, ioredis] = /** @type {['11' | '12', '5' | '6']} */ (pair.split(' '));
    folders.set(pair, stages.make({ nest, ioredis }));
  }
  await Promise.all(folders.values());
  console.log(`installed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const waiting = [...chosen];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      await runCombination(next, await folders.get(`${next.nest} ${next.ioredis}`));
  };
  await Promise.all([work(), work()]);
} finally {
  await redis.stop();
  await stages.close();
}
console.log(
  `matrix: ${passed} passed, ${failed} failed in ${((performance.now() - started) / 1000).toFixed(1)} s`,
);
if (failed > 0 || passed === 0) process.exitCode = 1;
