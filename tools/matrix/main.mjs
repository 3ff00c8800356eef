/**
 * The compatibility matrix. One line for each cell: what it is, which versions ran, what was seen.
 * "--types" lets the compiler read every combination, "--servers" adds further Redis servers, "--report" writes docs/compatibility.md.
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
import { findServers } from './servers.mjs';
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

/** Processes of checks that run at the same time. */
const AT_ONCE = 3;

const started = performance.now();
const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
const stages = new MatrixStages({ fresh: values.fresh });
/** @type {import('./table.writer.mjs').PlacedCell[]} */
const cells = [];
/** @type {{ what: string, reason: string }[]} */
const absent = [];

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
  const waiting = [...combinations];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await run(next, await stages.get(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
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
      const results = wanted.length === 0 ? [] : await runCells(folder, format, redis.url, wanted);
      if (isFirst && values.types) results.push(await checkTypes(folder, format));
      await tell(combination, folder, server.version, results);
    });
  } finally {
    await redis.stop();
  }
}

try {
  const servers = values.install ? [] : await findServers(values.servers);
  await Promise.all(chosen.map((combination) => stages.get(combination)));
  console.log(`installed in ${seconds()}`);
  for (const server of servers) await runOnServer(server);
  if (values.report && !values.install) await writeTables(cells, absent);
} finally {
  await stages.close();
}
const failed = cells.filter(({ ok }) => !ok).length;
if (!values.install) console.log(`matrix: ${cells.length - failed} passed, ${failed} failed in ${seconds()}`);
if (failed > 0 || chosen.length === 0 || (cells.length === 0 && !values.install)) process.exitCode = 1;
