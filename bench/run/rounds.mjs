import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { startCluster } from './cluster.mjs';
import { pin, ProcessTeam } from './team.mjs';
import { usageOf } from './usage.mjs';

/** @typedef {import('../bench.types.js').Entry} Entry */
/** @typedef {import('../bench.types.js').Figures} Figures */
/** @typedef {import('../bench.types.js').Scenario} Scenario */

/**
 * What came of an entry: the median of each figure over the rounds; those that need a count of commands are from a round of their own.
 * @typedef {{ entry: Entry, size: number, figures: Record<string, number>, rounds: Record<string, number>[], failure?: string }} Result
 */

/** The server has a CPU of its own where there are several. */
const SERVER_CPU = 0;

/**
 * Runs all entries of a scenario, interleaved: a round of each, then the next round of each.
 * @param {Scenario} scenario
 * @param {readonly Entry[]} entries those that take part
 * @param {{ rounds: number, java: import('./team.mjs').Place['java'], progress: (done: number, all: number, what: string) => void }} options
 * @returns {Promise<Result[]>}
 */
export async function runScenario(scenario, entries, { rounds: wanted, java, progress }) {
  const rounds = Math.min(wanted, scenario.rounds ?? wanted);
  const sizes = scenario.sizes ?? [1];
  /** @type {Result[]} */
  const results = [];
  let done = 0;
  const all = sizes.length * entries.length * (rounds + 2);
  for (const size of sizes) {
    const server = await start(scenario);
    for (const pid of server.pids) await pin(pid, SERVER_CPU);
    const cast = entries.map((entry, index) => {
      const { processes = 1, cpu } = scenario;
      const team = new ProcessTeam(entry, {
        url: server.url,
        processes,
        cpu,
        java,
        prefix: `bench:${index}`,
      });
      /** @type {Result} */
      const result = { entry, size, figures: {}, rounds: [] };
      results.push(result);
      return { team, result };
    });
    try {
      // The first round warms up, the last one counts.
      for (let round = 0; round <= rounds + 1; round += 1) {
        for (const { team, result } of cast) {
          done += 1;
          progress(done, all, `${scenario.id} ${result.entry.label}`);
          if (result.failure !== undefined) continue;
          try {
            if (round === 0) await team.ready();
            team.isCounting = round === rounds + 1;
            const figures = await measured(() => scenario.round(team, size), team, server);
            if (team.isCounting)
              Object.assign(result.figures, medians(result.rounds), countsOf(figures, result.rounds));
            else if (round > 0) result.rounds.push(figures);
          } catch (error) {
            result.failure = error instanceof Error ? error.message : String(error);
          }
        }
      }
    } finally {
      await Promise.all(cast.map(({ team }) => team.close()));
      await server.stop();
    }
  }
  return results;
}

/** @param {Scenario} scenario */
async function start({ masters }) {
  if (masters !== undefined) return await startCluster(masters);
  const { url, pid, stop } = await startRedis();
  return { url, pids: pid === undefined ? [] : [pid], stop };
}

/**
 * A round, and what its processes and the server have used for it: CPU in ms, and the processes' memory in MB.
 * @param {() => Promise<Figures>} round
 * @param {ProcessTeam} team
 * @param {{ pids: readonly number[] }} server
 */
async function measured(round, team, { pids }) {
  const before = await Promise.all([usageOf(team.pids), usageOf(pids)]);
  const figures = numbersOf(await round());
  const after = await Promise.all([usageOf(team.pids), usageOf(pids)]);
  const [client = NaN, host = NaN] = after.map(({ cpu }, index) => cpu - (before[index]?.cpu ?? NaN));
  return { ...figures, clientCpu: client, serverCpu: host, memory: after[0].memory };
}

/** @param {Figures} figures @returns {Record<string, number>} */
function numbersOf(figures) {
  return Object.fromEntries(
    Object.entries(figures).flatMap(([key, figure]) => (typeof figure === 'number' ? [[key, figure]] : [])),
  );
}

/** Those figures of the counting round that no timed round has. @param {Record<string, number>} figures @param {readonly Record<string, number>[]} rounds */
function countsOf(figures, rounds) {
  return Object.fromEntries(
    Object.entries(figures).filter(([key]) => rounds.every((round) => Number.isNaN(round[key] ?? NaN))),
  );
}

/** @param {readonly Record<string, number>[]} rounds @returns {Record<string, number>} */
function medians(rounds) {
  return Object.fromEntries(
    Object.keys(rounds[0] ?? {}).map((key) => [key, median(rounds.map((round) => round[key] ?? NaN))]),
  );
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}
