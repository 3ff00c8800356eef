/** "npm run bench": this library, its peers, and the limits of the client, interleaved in one run on a Redis of its own. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { buildPeer, QUIET } from '../tools/java/peer.builder.mjs';
import { strangePeers } from './report/peer.check.mjs';
import { writeReport } from './report/report.mjs';
import { plainTable, profileTableOf, tableOf } from './report/table.mjs';
import { redisVersion } from './run/redis.version.mjs';
import { runScenario } from './run/rounds.mjs';
import { canPin } from './run/team.mjs';
import { SCENARIOS } from './scenarios/index.mjs';

const USAGE = `npm run bench -- [options]

  --scenario S1,S3   only those of ${SCENARIOS.map(({ id }) => id).join(', ')}
  --rounds 5         timed rounds of each
  --peers a,b        only those peers, by a part of their label; "none" for none
  --json FILE        the figures
  --report           writes docs/benchmarks/
  --clients          this library and the raw pair with node-redis, too, beside ioredis
  --redisson         Redisson, too; needs Java and Maven
  --node FILE        another Node, by which S2N and S8N are run
  --profile          a further round of each, that tells where the time of its processes goes`;

/** @param {string} problem @returns {never} */
function refuse(problem) {
  console.error(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

const values = options();
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  refuse(`--rounds is a whole number, at least 1, not ${values.rounds}`);
const { node } = values;
const nodeVersion = node === undefined ? undefined : versionOf(node);
const possible = SCENARIOS.filter(({ isOnOtherNode }) => isOnOtherNode !== true || node !== undefined);
const wanted = values.scenario?.split(',') ?? possible.map(({ id }) => id);
const unknown = wanted.filter((id) => !SCENARIOS.some((scenario) => scenario.id === id));
if (unknown.length > 0) refuse(`no such scenario: ${unknown.join(', ')}`);
const impossible = wanted.filter((id) => !possible.some((scenario) => scenario.id === id));
if (impossible.length > 0) refuse(`${impossible.join(', ')}: which Node? --node tells`);

const peers = values.peers?.split(',');
const hasPeers = existsSync(new URL('node_modules', import.meta.url));
if (!hasPeers)
  console.log(
    'The peers are not installed: "npm ci --prefix bench" does it. Without them the limits and this library are run.',
  );
if (!canPin) console.log('Processes cannot be kept on a CPU here: the figures vary more.');

const java = values.redisson ? await redisson() : undefined;

/** What was asked for. */
function options() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        scenario: { type: 'string' },
        rounds: { type: 'string', default: '5' },
        peers: { type: 'string' },
        json: { type: 'string' },
        clients: { type: 'boolean', default: false },
        redisson: { type: 'boolean', default: false },
        node: { type: 'string' },
        report: { type: 'boolean', default: false },
        profile: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} file a Node */
function versionOf(file) {
  try {
    return execFileSync(file, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return refuse(`--node is the file of a Node, not ${file}`);
  }
}

/** What starts a contestant of Java. */
async function redisson() {
  const { classpath } = await buildPeer();
  // With the compiler and the heap that Java takes by itself.
  return { command: 'java', args: [QUIET, '-cp', classpath, 'bench.Contender'] };
}

/** @param {import('./bench.types.js').Entry} entry */
function takesPart({ role, label, runtime }) {
  if (runtime === 'java') return java !== undefined;
  return role !== 'peer' || (hasPeers && (peers?.some((part) => label.includes(part)) ?? true));
}

/**
 * The same with node-redis: of this library, and of the limit that sends one command per operation.
 * @param {import('./bench.types.js').Entry} entry
 * @returns {import('./bench.types.js').Entry[]}
 */
function byNodeRedis(entry) {
  const { module, settings, label } = entry;
  const isOfIoredis = settings['autopipelining'] === true || settings['corked'] === true;
  if (!values.clients || !['ours', 'raw'].includes(module) || isOfIoredis) return [];
  return [{ ...entry, label: `${label}, node-redis`, settings: { ...settings, client: 'redis' } }];
}

/** @param {number} done @param {number} all @param {string} what */
function progress(done, all, what) {
  if (!process.stderr.isTTY) return;
  const full = Math.round((done / all) * 30);
  process.stderr.write(`\r\u001B[K[${'█'.repeat(full)}${' '.repeat(30 - full)}] ${done}/${all} ${what}`);
  if (done === all) process.stderr.write('\r\u001B[K');
}

/** @type {Parameters<typeof writeReport>[0][number][]} */
const run = [];
for (const scenario of possible.filter(({ id }) => wanted.includes(id))) {
  const entries = scenario.entries.filter(takesPart).flatMap((entry) => [entry, ...byNodeRedis(entry)]);
  const results = await runScenario(scenario, entries, {
    rounds,
    java,
    node,
    isProfiled: values.profile,
    progress,
  });
  run.push({ scenario, results });
  console.log(`\n${scenario.id}: ${scenario.title}\n${plainTable(tableOf(scenario, results))}`);
  if (values.profile) console.log(`\n${plainTable(profileTableOf(results))}`);
  for (const strange of strangePeers(scenario.id, results, scenario.measure.key)) console.log(strange);
  // A run takes long: what is there by the time it is ended stays.
  await keep();
}

async function keep() {
  const figures = run.map(({ scenario: { id }, results }) => ({ id, results }));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  if (values.report)
    await writeReport(run, { rounds, redis: await redisVersion(), nodeVersion, isPinned: canPin });
}
