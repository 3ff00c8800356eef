import { OURS, RAW } from './entries.mjs';
import { TWICE } from './warm.up.mjs';

const CALLERS = 64;
const PAIRS = 100_000;

/** @param {import('../bench.types.js').Team} team @param {number} size */
const work = (team, size) =>
  team.ask(0, 'pairs', {
    prefix: team.prefix,
    callers: CALLERS,
    each: Math.ceil(PAIRS / CALLERS),
    manner: team.manner,
    distinct: size,
  });

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S12',
  title: 'Growth with the number of locks',
  about: `As S2, ${PAIRS} pairs of ${CALLERS} callers that go through as many distinct locks as the size says. ${TWICE}`,
  entries: [RAW, OURS],
  cpu: 1,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [{ key: 'cpu', title: 'CPU µs a pair', digits: 1 }],
  sizes: [64, 1000, 10_000, 100_000],
  warmUp: work,
  round: work,
};
