import { BURST_COLUMNS, bursts, ROUND } from './burst.mjs';
import {
  MEMORY,
  OURS,
  OURS_FAIR,
  OURS_LEASES,
  OURS_SECTION,
  PEERS_WAITING,
  RAW,
  REDISSON,
} from './entries.mjs';
import { WARM, warmUp } from './warm.up.mjs';

const WAITERS = 50;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S3',
  title: '50 waiters in one process, a burst',
  about: `${WAITERS} waiters of one process stand behind a holder of the same process; it releases, and each releases at once what it gets. The gap is the time between one grant and the next. The raw pair stands behind a queue in the process. ${ROUND} ${WARM}`,
  entries: [RAW, MEMORY, OURS, OURS_SECTION, OURS_LEASES, OURS_FAIR, ...PEERS_WAITING, REDISSON],
  cpu: 0,
  measure: { key: 'perSecond', title: 'hand-offs/s', better: 'more' },
  columns: BURST_COLUMNS,
  warmUp: (team) => warmUp(team, WAITERS),
  round: (team) => bursts(team, { holder: 0, waiting: [0], each: WAITERS }),
};
