import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { startCluster } from './cluster.mjs';
import { pin, ProcessTeam } from './team.mjs';
import { usageOf } from './usage.mjs';

/** @typedef {import('../bench.types.js').Entry} Entry */
/** @typedef {import('../bench.types.js').Figures} Figures */
/** @typedef {import('../bench.types.js').Scenario} Scenario */

/**
 * What came of an entry: the median of each figure over the rounds; those that need a count of commands are from a round of their own.
 * @typedef {{ entry: Entry, size: number, figures: Record<string, number>, rounds: Record<string, number>[], profile?: Record<string, number>, failure?: string }} Result
 */

/** The server has a CPU of its own where there are several. */
const SERVER_CPU = 0;

/** @typedef {{ rounds: number, java: import('./team.mjs').Place['java'], node: string | undefined, isProfiled: boolean, progress: (done: number, all: number, what: string) => void }} Options */

/**
 * Runs all entries of a scenario, interleaved: a round of each, then the next round of each. Where they would disturb each other by
 * being there, one after the other.
 * @param {Scenario} scenario
 * @param {readonly Entry[]} entries those that take part
 * @param {Options} options
 * @returns {Promise<Result[]>}
 */
export async function runScenario(scenario, entries, options) {
  const rounds = Math.min(options.rounds, scenario.rounds ?? options.rounds);
  const sizes = scenario.sizes ?? [1];
  // The first round warms up, the last one counts.
  const first = scenario.isCold === true ? 1 : 0;
  const last = rounds + 1;
  /** @type {Result[]} */
  const results = sizes.flatMap((size) => entries.map((entry) => ({ entry, size, figures: {}, rounds: [] })));
  let done = 0;
  const progress = (/** @type {Result} */ { entry }) => {
    done += 1;
    options.progress(done, results.length * (last - first + 1), `${scenario.id} ${entry.label}`);
  };
  // All sizes take turns, too: a minute in which the machine is slow must not be one size's.
  const groups = scenario.isAlone === true ? results.map((result) => [result]) : [results];
  for (const group of groups) await runTogether(scenario, group, { ...options, first, last, progress });
  return results;
}

/**
 * @param {Scenario} scenario
 * @param {readonly Result[]} results that take turns, to be filled
 * @param {{ first: number, last: number, java: Options['java'], node: Options['node'], isProfiled: boolean, progress: (result: Result) => void }} options
 */
async function runTogether(scenario, results, { first, last, java, node, isProfiled, progress }) {
  const { processes = 1, cpu } = scenario;
  const processesOf = (/** @type {Result} */ { size, entry }) =>
    typeof processes === 'number' ? processes : processes(size, entry);
  const server = await start(scenario);
  for (const pid of server.pids) await pin(pid, SERVER_CPU);
  const cast = results.map((result, index) => {
    const prefix = `bench:${index}`;
    const place = { url: server.url, cpu, java, node: scenario.isOnOtherNode === true ? node : undefined };
    return {
      result,
      team: new ProcessTeam(result.entry, { ...place, processes: processesOf(result), prefix }),
    };
  });
  try {
    await Promise.all(cast.map(({ team, result }) => noting(result, () => team.ready())));
    for (let round = first; round <= last; round += 1) {
      for (const { team, result } of cast) {
        progress(result);
        if (result.failure !== undefined) continue;
        await noting(result, async () => {
          team.isCounting = round === last;
          // What Java has compiled by then took it minutes: a new one would not have it.
          if (scenario.isNewEachRound === true && result.entry.runtime !== 'java') {
            if (round === 0) return;
            if (round > 1 && !team.isCounting) await team.renew();
          }
          await scenario.warmUp?.(team, result.size);
          const figures = await measured((timed) => scenario.round(team, result.size, timed), team, server);
          if (team.isCounting)
            Object.assign(result.figures, medians(result.rounds), countsOf(figures, result.rounds));
          else if (round > 0) result.rounds.push(figures);
        });
      }
    }
    if (isProfiled)
      for (const { team, result } of cast)
        await noting(result, async () => {
          if (result.entry.runtime === 'java' || result.failure !== undefined) return;
          team.isCounting = false;
          await scenario.warmUp?.(team, result.size);
          result.profile = await team.profile(() => scenario.round(team, result.size, (act) => act()));
        });
  } finally {
    await Promise.all(cast.map(({ team }) => team.close()));
    await server.stop();
  }
}

/** Notes what goes wrong: the entry is out then. @param {Result} result @param {() => Promise<void>} act */
async function noting(result, act) {
  try {
    await act();
  } catch (error) {
    result.failure = error instanceof Error ? error.message : String(error);
  }
}

/** @param {Scenario} scenario */
async function start({ masters }) {
  if (masters !== undefined) return await startCluster(masters);
  const { url, pid, stop } = await startRedis();
  return { url, pids: pid === undefined ? [] : [pid], stop };
}

/**
 * A round, and what its processes and the server have used for it: CPU in ms, that of the server in µs for each of the round's `holds` as
 * well, and the processes' memory in MB.
 * @param {(timed: import('../bench.types.js').Timed) => Promise<Figures>} round
 * @param {ProcessTeam} team
 * @param {{ pids: readonly number[] }} server
 */
async function measured(round, team, { pids }) {
  /** @type {{ clientCpu: number, serverCpu: number, memory: number } | undefined} */
  let used;
  /** @type {import('../bench.types.js').Timed} */
  const timed = async (act) => {
    const before = await Promise.all([usageOf(team.pids), usageOf(pids)]);
    const result = await act();
    const after = await Promise.all([usageOf(team.pids), usageOf(pids)]);
    const [clientCpu = NaN, serverCpu = NaN] = after.map(
      ({ cpu }, index) => cpu - (before[index]?.cpu ?? NaN),
    );
    // A part that the round has timed counts, and not the round around it.
    used ??= { clientCpu, serverCpu, memory: after[0].memory };
    return result;
  };
  const figures = numbersOf(await timed(() => round(timed)));
  const { holds = NaN } = figures;
  return { ...figures, ...used, serverPerHold: ((used?.serverCpu ?? NaN) * 1000) / holds };
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
