import { amountOf } from './brief.mjs';
import { BARE_QUEUE, OURS, OURS_FAIR, REDISSON } from './entries.mjs';
import { jainIndex, quantile, samplesOf } from './samples.mjs';

/** Instances of the application in the whole fleet. */
const SIZES = [2, 10, 40, 100, 200];

/** Most processes of a fleet: more of them only wait for one of the CPUs. A JVM has many instances. */
const PROCESSES = 20;
const JVMS = 2;

/** How long a round is, in ms: an instance of two hundred gets a turn a second. */
const MS = amountOf(20_000);

/** For how long a fleet is warmed up, in ms. */
const WARM = amountOf(3000);

/**
 * A fleet whose instances take one lock again and again.
 * @param {{ id: string, title: string, work: number, callers: number }} options `work`: how long each caller holds it, in ms
 * @returns {import('../bench.types.js').Scenario}
 */
export function fleet({ id, title, work, callers }) {
  return {
    id,
    title,
    about: `As many instances of an application as the size says, in ${PROCESSES} processes at most, each with connections of its own; those of Redisson are in ${JVMS}. ${callers === 1 ? 'One caller' : `${callers} callers`} of each instance take one lock again and again for ${MS / 1000} s, and hold it for ${work} ms. A gap is the time from a release to the next grant. Jain's index over the instances' holds is 1 where all get the same.`,
    entries: [BARE_QUEUE, OURS, OURS_FAIR, REDISSON],
    processes: processesOf,
    sizes: SIZES,
    isAlone: true,
    isCold: true,
    rounds: 1,
    measure: { key: 'perSecond', title: 'holds/s', better: 'more', digits: 1 },
    columns: [
      { key: 'trips', title: 'commands a hold', digits: 2 },
      { key: 'messages', title: 'messages a hold', digits: 2 },
      { key: 'gapP50', title: 'gap p50 ms', digits: 2 },
      { key: 'gapP99', title: 'p99 ms', digits: 1 },
      { key: 'longest', title: 'longest wait ms', digits: 0 },
      { key: 'jain', title: "Jain's index", digits: 3 },
      { key: 'serverPerHold', title: 'server µs a hold', digits: 0 },
    ],
    warmUp: (team, size) => round(team, size, { callers, work, ms: WARM }),
    round: (team, size) => round(team, size, { callers, work, ms: MS }),
  };
}

/** @param {number} size @param {import('../bench.types.js').Entry} entry */
function processesOf(size, { runtime }) {
  return Math.min(size, runtime === 'java' ? JVMS : PROCESSES);
}

/**
 * @param {import('../bench.types.js').Team} team
 * @param {number} size
 * @param {{ callers: number, work: number, ms: number }} options
 */
async function round(team, size, options) {
  const name = `${team.prefix}:fleet`;
  const instances = Math.ceil(size / team.size);
  await team.all('join', { instances });
  const { result, commands, messages } = await team.counting(() => team.all('fleet', { name, ...options }));
  const holds = samplesOf(result, 'counts').reduce((sum, count) => sum + count, 0);
  const gaps = gapsOf(samplesOf(result, 'grants'), samplesOf(result, 'releases'));
  return {
    holds,
    perSecond: (holds * 1000) / options.ms,
    trips: commands / holds,
    messages: messages / holds,
    gapP50: quantile(gaps, 0.5),
    gapP99: quantile(gaps, 0.99),
    longest: Math.max(...samplesOf(result, 'waits')),
    jain: jainIndex(samplesOf(result, 'counts')),
  };
}

/** From each release to the grant after it, in ms. @param {readonly number[]} grants @param {readonly number[]} releases */
function gapsOf(grants, releases) {
  const events = [
    ...grants.map((at) => ({ at, isGrant: true })),
    ...releases.map((at) => ({ at, isGrant: false })),
  ].toSorted((one, other) => one.at - other.at);
  return events.flatMap(({ at, isGrant }, index) => {
    const before = events[index - 1];
    return isGrant && before !== undefined && !before.isGrant ? [at - before.at] : [];
  });
}
