import { BURST_COLUMNS, bursts, ROUND } from './burst.mjs';
import { OURS, RAW } from './entries.mjs';
import { WARM, warmUp } from './warm.up.mjs';

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S12W',
  title: 'Growth with the number of waiters',
  about: `As S3, with as many waiters as the size says. ${ROUND} ${WARM}`,
  entries: [RAW, OURS],
  cpu: 0,
  measure: { key: 'perSecond', title: 'hand-offs/s', better: 'more' },
  columns: BURST_COLUMNS,
  sizes: [10, 100, 1000, 10_000],
  warmUp: (team) => warmUp(team, 50),
  round: (team, size) => bursts(team, { holder: 0, waiting: [0], each: size }),
};
