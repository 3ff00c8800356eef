import { OURS, OURS_SECTION, RAW, RAW_CORKED } from './entries.mjs';
import { TWICE } from './warm.up.mjs';

const CALLERS = 64;
const EACH = 750;
const MASTERS = 3;

/** @param {import('../bench.types.js').Team} team */
const work = (team) =>
  team.ask(0, 'pairs', { prefix: team.prefix, callers: CALLERS, each: EACH, manner: team.manner });

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S11',
  title: `64 callers, different locks, a cluster of ${MASTERS} masters`,
  about: `As S2, on ${MASTERS} masters: keys of different slots cannot travel in one script, so each operation is a command of its own. ${TWICE}`,
  entries: [RAW, RAW_CORKED, OURS, OURS_SECTION],
  masters: MASTERS,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 3 },
    { key: 'p99', title: 'p99 ms', digits: 3 },
    { key: 'cpu', title: 'CPU µs a pair', digits: 1 },
  ],
  warmUp: work,
  round: work,
};
