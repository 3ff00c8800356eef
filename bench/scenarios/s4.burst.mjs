import { BURST_COLUMNS, bursts, ROUND } from './burst.mjs';
import { BARE_QUEUE, OURS, OURS_FAIR, PEERS_WAITING, REDISSON, REDISSON_FAIR } from './entries.mjs';
import { WARM, warmUp } from './warm.up.mjs';

const WAITERS = 10;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S4',
  title: '4 processes with 10 waiters each, a burst',
  about: `Four processes with ${WAITERS} waiters each stand behind a holder in a fifth; it releases, and each releases at once what it gets. "Out of order" counts within each process. ${ROUND} ${WARM}`,
  entries: [BARE_QUEUE, OURS, OURS_FAIR, ...PEERS_WAITING, REDISSON, REDISSON_FAIR],
  processes: 5,
  measure: { key: 'perSecond', title: 'hand-offs/s', better: 'more' },
  columns: BURST_COLUMNS,
  warmUp: (team) => warmUp(team, WAITERS),
  round: (team) => bursts(team, { holder: 0, waiting: [1, 2, 3, 4], each: WAITERS }),
};
