import { setTimeout as sleep } from 'node:timers/promises';
import { amountOf } from './brief.mjs';
import { BARE_QUEUE, OURS, OURS_FAIR, REDISSON } from './entries.mjs';
import { jainIndex, quantile, samplesOf } from './samples.mjs';

/** Instances of the application in the whole fleet. */
const SIZES = [2, 10, 40, 100, 200];

/** Most processes of a fleet: more of them only wait for one of the CPUs. A JVM has many instances. */
const PROCESSES = 20;
const JVMS = 2;

/** For how long is measured, in ms. */
const MS = amountOf(20_000);

/** For how long a fleet runs before, in ms, beside a turn of each caller: it starts, subscribes its channels, and is compiled. */
const WARM = amountOf(3000);

/** How long one job may take, in ms: at the end each caller has a last turn. */
const PATIENCE = 180_000;

/**
 * A fleet whose instances take one lock again and again.
 * @param {{ id: string, title: string, work: number, callers: number, entries?: readonly import('../bench.types.js').Entry[] }} options `work`: how long each caller holds it, in ms; `entries`: who takes part, by default all that have such a lock
 * @returns {import('../bench.types.js').Scenario}
 */
export function fleet({ id, title, work, callers, entries = [BARE_QUEUE, OURS, OURS_FAIR, REDISSON] }) {
  return {
    id,
    title,
    about: `As many instances of an application as the size says, in ${PROCESSES} processes at most, each with connections of its own; those of Redisson are in ${JVMS} processes. ${callers === 1 ? 'One caller of each instance takes one lock again and again, and holds' : `${callers} callers of each instance take one lock again and again, and hold`} it for ${work} ms: until each has had a turn, and then for ${MS / 1000} s, which are measured. Commands that do not name the lock are counted apart: each instance of this library reports itself every 10 s, and sends a \`PING\` every 15 s while it is subscribed. A gap is the time from a release to the next grant. Jain's index over the instances' holds is 1 where all get the same.`,
    entries: entries.map((entry) => ({ ...entry, patience: PATIENCE })),
    processes: processesOf,
    sizes: SIZES,
    isAlone: true,
    isCold: true,
    rounds: 1,
    measure: { key: 'perSecond', title: 'holds/s', better: 'more', digits: 1 },
    columns: [
      { key: 'trips', title: 'commands a hold', digits: 2 },
      { key: 'messages', title: 'messages a hold', digits: 2 },
      { key: 'others', title: 'other commands/s', digits: 1 },
      { key: 'gapP50', title: 'gap p50 ms', digits: 2 },
      { key: 'gapP99', title: 'p99 ms', digits: 1 },
      { key: 'longest', title: 'longest wait ms', digits: 0 },
      { key: 'jain', title: "Jain's index", digits: 3 },
      { key: 'serverPerHold', title: 'server µs a hold', digits: 0 },
    ],
    round: (team, size, timed) => round(team, size, { callers, work, timed }),
  };
}

/** @param {number} size @param {import('../bench.types.js').Entry} entry */
function processesOf(size, { runtime }) {
  return Math.min(size, runtime === 'java' ? JVMS : PROCESSES);
}

/**
 * @param {import('../bench.types.js').Team} team
 * @param {number} size
 * @param {{ callers: number, work: number, timed: import('../bench.types.js').Timed }} options
 */
async function round(team, size, { callers, work, timed }) {
  const name = `${team.prefix}:fleet`;
  const instances = Math.ceil(size / team.size);
  await team.all('join', { instances });
  const settle = WARM + amountOf(size * callers * work);
  // The start of a fleet and the last turns of its callers send more than the holds between: they are outside.
  const settled = sleep(settle).then(() => team.counting(() => timed(() => sleep(MS)), name));
  const [result, { commands, others, messages }] = await Promise.all([
    team.all('fleet', { name, callers, work, settle, ms: MS }),
    settled,
  ]);
  const holds = samplesOf(result, 'counts').reduce((sum, count) => sum + count, 0);
  const gaps = gapsOf(samplesOf(result, 'grants'), samplesOf(result, 'releases'));
  return {
    holds,
    perSecond: (holds * 1000) / MS,
    trips: commands / holds,
    messages: messages / holds,
    others: (others * 1000) / MS,
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
