import { MEMORY, OURS, OURS_LEASES, PEERS_WAITING, RAW, REDISSON } from './entries.mjs';
import { sustained } from './sustained.mjs';
import { WARM, warmUp } from './warm.up.mjs';

const CALLERS = 50;
const MS = 1500;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S3L',
  title: '50 callers in one process, sustained',
  about: `${CALLERS} callers of one process take one lock again and again for ${MS / 1000} s. ${WARM}`,
  entries: [RAW, MEMORY, OURS, OURS_LEASES, ...PEERS_WAITING, REDISSON],
  cpu: 0,
  measure: { key: 'perSecond', title: 'holds/s', better: 'more' },
  columns: [
    { key: 'trips', title: 'round trips a hold', digits: 2 },
    { key: 'longest', title: 'longest wait / median', digits: 1 },
  ],
  warmUp: (team) => warmUp(team, CALLERS),
  round: (team) => sustained(team, { callers: CALLERS, ms: MS }),
};
