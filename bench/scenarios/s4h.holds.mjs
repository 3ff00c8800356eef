import { OURS, PEERS_WAITING, REDISSON } from './entries.mjs';
import { sustained } from './sustained.mjs';
import { WARM, warmUp } from './warm.up.mjs';

const CALLERS = 10;
const MS = 2000;
const WORK = 2;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S4H',
  title: '4 processes with 10 callers each, holds of 2 ms',
  about: `As S4L, and each holds the lock for ${WORK} ms. A gap is the time from a release to the next grant: inside a process, or from one process to another. ${WARM}`,
  entries: [OURS, ...PEERS_WAITING, REDISSON],
  processes: 4,
  measure: { key: 'perSecond', title: 'holds/s', better: 'more', digits: 0 },
  columns: [
    { key: 'gapBetween', title: 'gap between processes p50 µs', digits: 1 },
    { key: 'gapInside', title: 'gap inside a process p50 µs', digits: 1 },
    { key: 'insidePercent', title: 'gaps inside %', digits: 0 },
    { key: 'trips', title: 'round trips a hold', digits: 2 },
    { key: 'jain', title: "Jain's index", digits: 3 },
  ],
  warmUp: (team) => warmUp(team, CALLERS),
  round: (team) => sustained(team, { callers: CALLERS, ms: MS, work: WORK }),
};
