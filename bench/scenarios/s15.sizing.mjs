import { amountOf } from './brief.mjs';
import { BARE_QUEUE, OURS, OURS_FAIR } from './entries.mjs';
import { quantile, samplesOf } from './samples.mjs';

const INSTANCES = 100;
const PROCESSES = 20;
const LOCKS = 50;

/** How long each caller holds its lock, in ms. */
const WORK = 5;

/** How long a round is, and for how long a fleet is warmed up, in ms. */
const MS = amountOf(10_000);
const WARM = amountOf(3000);

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S15',
  title: 'A fleet with many locks',
  about: `${INSTANCES} instances of an application in ${PROCESSES} processes share ${LOCKS} locks. Each instance has one caller, which takes one of them, by chance, at random times, and holds it for ${WORK} ms: as often as the size says each lock is wanted in a second, for ${MS / 1000} s.`,
  entries: [BARE_QUEUE, OURS, OURS_FAIR],
  processes: PROCESSES,
  sizes: [1, 10, 20],
  isAlone: true,
  isCold: true,
  rounds: 1,
  measure: { key: 'serverPerHold', title: 'server µs a hold', better: 'less', digits: 0 },
  columns: [
    { key: 'perSecond', title: 'holds/s', digits: 0 },
    { key: 'trips', title: 'commands a hold', digits: 2 },
    { key: 'messages', title: 'messages a hold', digits: 2 },
    { key: 'waitP50', title: 'wait p50 ms', digits: 2 },
    { key: 'waitP99', title: 'p99 ms', digits: 1 },
  ],
  warmUp: (team, size) => round(team, size, WARM),
  round: (team, size) => round(team, size, MS),
};

/** @param {import('../bench.types.js').Team} team @param {number} size @param {number} ms */
async function round(team, size, ms) {
  await team.all('join', { instances: INSTANCES / PROCESSES });
  const name = `${team.prefix}:many`;
  const pause = (INSTANCES * 1000) / (LOCKS * size);
  const { result, commands, messages } = await team.counting(() =>
    team.all('visit', { name, locks: LOCKS, pause, ms, work: WORK }),
  );
  const waits = samplesOf(result, 'waits');
  return {
    holds: waits.length,
    perSecond: (waits.length * 1000) / ms,
    trips: commands / waits.length,
    messages: messages / waits.length,
    waitP50: quantile(waits, 0.5),
    waitP99: quantile(waits, 0.99),
  };
}
