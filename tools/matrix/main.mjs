/**
 * The compatibility matrix. One line for each cell: what it is, which versions ran, what was seen.
 * "--types" lets the compiler read every combination, "--servers" adds further Redis servers, "--report" writes docs/compatibility.md.
 * "--runtimes all" adds Node 22, 24 and 26, Bun and Deno, and node-redis on each; "--runtimes turn" Node 24 and one of the others, by the
 * commit; "--runtimes Bun,Deno" those.
 * "--install" only installs what the cells need, for a run that follows.
 * "--fresh" installs again what an earlier run installed, so that the newest versions run.
 * "--nest 12", "--ioredis 6", "--format esm" leave out the rest; further words name checks.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedis } from '../redis/redis.runner.mjs';
import { runCells } from './cell.runner.mjs';
import { COMBINATIONS, ON_EVERY_SERVER, ONLY, TESTED } from './cells.mjs';
import { versionOf } from './installs.mjs';
import { runOnRuntimes } from './runtime.runner.mjs';
import { findRuntimes, namesOfRuntimes } from './runtimes.mjs';
import { findServers } from './servers.mjs';
import { runSomeAtOnce } from './side.by.side.mjs';
import { MatrixStages } from './stages.mjs';
import { writeTables } from './table.writer.mjs';
import { checkTypes } from './types.runner.mjs';

/** @typedef {import('./cells.mjs').Combination} Combination */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nest: { type: 'string' },
    ioredis: { type: 'string' },
    format: { type: 'string' },
    types: { type: 'boolean', default: false },
    servers: { type: 'boolean', default: false },
    runtimes: { type: 'string' },
    report: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
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
const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
const stages = new MatrixStages({ fresh: values.fresh });
/** @type {import('./table.writer.mjs').PlacedCell[]} */
const cells = [];
/** @type {{ what: string, reason: string }[]} */
const absent = [];
/** @type {import('./runtime.runner.mjs').RuntimeCell[]} */
const runtimeCells = [];

/**
 * @param {Combination} combination
 * @param {string} folder
 * @param {string} redis its version
 * @param {readonly import('./cell.runner.mjs').Cell[]} results
 */
async function tell({ nest, ioredis, format }, folder, redis, results) {
  const placed = {
    nest: await versionOf(join(folder, '../node_modules/@nestjs/core')),
    ioredis: await versionOf(join(folder, 'node_modules/ioredis')),
    format: format === 'esm' ? 'ESM' : 'CommonJS',
    redis,
  };
  const where = `Nest ${placed.nest}, ioredis ${placed.ioredis}, ${placed.format}, ${redis}`;
  if (!placed.nest.startsWith(`${nest}.`) || !placed.ioredis.startsWith(`${ioredis}.`))
    throw new Error(`${where} is not what was asked for`);
  for (const cell of results) {
    const versions = cell.versions && ` (${cell.versions})`;
    console.log(
      `${cell.ok ? 'ok    ' : 'FAILED'} ${where} · ${cell.check}${versions}: ${cell.text} [${cell.ms} ms]`,
    );
    cells.push({ ...cell, ...placed });
  }
}

/**
 * Some at a time: they mostly wait.
 * @param {readonly Combination[]} combinations
 * @param {(combination: Combination, folder: string) => Promise<void>} run
 */
async function runAll(combinations, run) {
  await runSomeAtOnce(combinations, async (next) => await run(next, await stages.get(next)));
}

/** @param {import('./servers.mjs').Server} server */
async function runOnServer(server) {
  if ('reason' in server) {
    absent.push(server);
    console.log(`not had ${server.what}: ${server.reason}`);
    return;
  }
  // The runner takes a binary by this variable, and servers run one after the other.
  const given = process.env['REDIS_SERVER_BIN'];
  if (server.bin !== undefined) process.env['REDIS_SERVER_BIN'] = server.bin;
  const redis = await startRedis();
  if (given === undefined) delete process.env['REDIS_SERVER_BIN'];
  else process.env['REDIS_SERVER_BIN'] = given;
  const isFirst = cells.length === 0;
  try {
    const combinations = chosen.filter(({ nest, format }) => isFirst || (nest === '12' && format === 'esm'));
    await runAll(combinations, async (combination, folder) => {
      const { format, nest } = combination;
      const wanted = (isFirst ? checks : ON_EVERY_SERVER).filter(
        (check) => ONLY[check]?.includes(nest) ?? true,
      );
      const results = wanted.length === 0 ? [] : await runCells(folder, format, wanted, { redis: redis.url });
      if (isFirst && values.types) results.push(await checkTypes(folder, format));
      await tell(combination, folder, server.version, results);
    });
  } finally {
    await redis.stop();
  }
}

/** @param {import('./runtime.runner.mjs').RuntimeCell} cell */
function tellRuntime(cell) {
  const { ok, runtime, client, check, text, ms } = cell;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${runtime}, ${client} · ${check}: ${text} [${ms} ms]`);
  runtimeCells.push(cell);
}

/** @param {string} wanted */
async function runRuntimes(wanted) {
  const names = await namesOfRuntimes(wanted);
  const redis = await startRedis();
  try {
    for (const each of await runOnRuntimes(names, stages, redis.url, tellRuntime)) {
      absent.push(each);
      console.log(`not had ${each.what}: ${each.reason}`);
    }
  } finally {
    await redis.stop();
  }
}

try {
  const servers = values.install ? [] : await findServers(values.servers);
  await Promise.all(chosen.map((combination) => stages.get(combination)));
  console.log(`installed in ${seconds()}`);
  if (values.install && values.runtimes !== undefined)
    await findRuntimes(await namesOfRuntimes(values.runtimes));
  for (const server of servers) await runOnServer(server);
  if (values.runtimes !== undefined && !values.install) await runRuntimes(values.runtimes);
  if (values.report && !values.install) await writeTables(cells, absent, runtimeCells);
} finally {
  await stages.close();
}
const all = [...cells, ...runtimeCells];
const failed = all.filter(({ ok }) => !ok).length;
if (!values.install) console.log(`matrix: ${all.length - failed} passed, ${failed} failed in ${seconds()}`);
if (failed > 0 || chosen.length === 0 || (all.length === 0 && !values.install)) process.exitCode = 1;
