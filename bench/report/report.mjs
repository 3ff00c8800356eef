import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SCENARIOS } from '../scenarios/index.mjs';
import { chartOf } from './chart.mjs';
import { strangePeers } from './peer.check.mjs';
import { markdownTable, profileTableOf, tableOf } from './table.mjs';

/** Where one begins. */
const SECTION = /^(?=## \w+: )/m;

const FOLDER = fileURLToPath(new URL('../../docs/benchmarks/', import.meta.url));

/**
 * Writes the report of a run, and a chart for each scenario, to docs/benchmarks. Scenarios that were not run keep what the last
 * report has of them.
 * @param {readonly { scenario: import('../bench.types.js').Scenario, results: readonly import('../run/rounds.mjs').Result[] }[]} run
 * @param {{ rounds: number, redis: string, nodeVersion: string | undefined, isPinned: boolean }} how `nodeVersion`: of the other Node
 */
export async function writeReport(run, { rounds, redis, nodeVersion, isPinned }) {
  await mkdir(FOLDER, { recursive: true });
  const { length: count, 0: cpu } = cpus();
  const machine = `${count} × ${cpu?.model.trim() ?? 'CPU'}`;
  const pinned = isPinned
    ? 'The server is kept on CPU 0, clients as each scenario says.'
    : 'Nothing was kept on a CPU.';
  const sections = await Promise.all(
    run.map(async ({ scenario, results }) => {
      const times = Math.min(rounds, scenario.rounds ?? rounds);
      const { id, title, about, cpu: client } = scenario;
      const file = `${id.toLowerCase()}.svg`;
      await writeFile(`${FOLDER}${file}`, chartOf(scenario, results));
      const strange = strangePeers(id, results, scenario.measure.key);
      const where = client === undefined ? 'Clients run on any CPU.' : `Clients run on CPU ${client}.`;
      const by = scenario.isOnOtherNode === true ? `, Node ${nodeVersion}` : '';
      const when = `_${today()}, ${times === 1 ? 'one round' : `medians of ${times} rounds`}${by}, ${machine}._`;
      return `## ${id}: ${title}\n\n${about} ${where} ${when}\n\n![${id}](${file})\n\n${markdownTable(tableOf(scenario, results))}\n${profileOf(results)}${strange.map((peer) => `\n${peer}\n`).join('')}`;
    }),
  );
  const text = `# Benchmarks

${today()} · ${count} CPUs, ${Math.round(totalmem() / 2 ** 30)} GB · ${process.platform} ${release().split('-')[0]} · Node ${process.version} · Redis ${redis} on loopback.

\`npm ci --prefix bench && npm run bench -- --report\` writes this page anew. All contestants of a scenario run interleaved in one run, on the day and the machine that it names, in processes of their own; the figures are medians of several rounds, none of which is the first thing that its process does.
Read the ratios of one scenario: absolute figures move with the machine, and figures of two machines cannot be compared. ${pinned} Commands are counted in a round of their own, by MONITOR, without those inside of scripts.
_fast_: a polling peer at the fastest sensible pace, an attempt each 1 to 4 ms; without that, as it comes, but never giving up. What could not be measured says so.

${await inOrder(sections)}`;
  await writeFile(`${FOLDER}README.md`, text);
}

/** @param {readonly import('../run/rounds.mjs').Result[]} results */
function profileOf(results) {
  const table = profileTableOf(results);
  if (table.length === 1) return '';
  return `\nWhere the CPU time of the processes goes, in a round that is sampled, and slower for it:\n\n${markdownTable(table)}\n`;
}

/** With those of the last report that are not made anew. @param {readonly string[]} sections */
async function inOrder(sections) {
  const last = await readFile(`${FOLDER}README.md`, 'utf8').catch(() => '');
  const all = new Map(
    [...last.split(SECTION).slice(1), ...sections].map((section) => [idOf(section), section]),
  );
  return SCENARIOS.flatMap(({ id }) => all.get(id)?.trimEnd() ?? []).join('\n\n') + '\n';
}

/** @param {string} section */
function idOf(section) {
  return /^## (\w+):/.exec(section)?.[1];
}

function today() {
  return new Date().toISOString().slice(0, 10);
}
