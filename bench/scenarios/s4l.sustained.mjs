import { BARE_QUEUE, OURS, OURS_FAIR, PEERS_WAITING, REDISSON } from './entries.mjs';
import { sustained } from './sustained.mjs';
import { WARM, warmUp } from './warm.up.mjs';

const CALLERS = 10;
const MS = 1500;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S4L',
  title: '4 processes with 10 callers each, sustained',
  about: `Four processes with ${CALLERS} callers each take one lock again and again for ${MS / 1000} s. Jain's index over the processes' holds is 1 where all get the same. ${WARM}`,
  entries: [BARE_QUEUE, OURS, OURS_FAIR, ...PEERS_WAITING, REDISSON],
  processes: 4,
  measure: { key: 'perSecond', title: 'holds/s', better: 'more' },
  columns: [
    { key: 'trips', title: 'round trips a hold', digits: 2 },
    { key: 'jain', title: "Jain's index", digits: 3 },
    { key: 'longest', title: 'longest wait / median', digits: 1 },
  ],
  warmUp: (team) => warmUp(team, CALLERS),
  round: (team) => sustained(team, { callers: CALLERS, ms: MS }),
};
