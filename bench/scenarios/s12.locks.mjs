import { OURS, RAW } from './entries.mjs';

const CALLERS = 64;
const PAIRS = 100_000;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S12',
  title: 'Growth with the number of locks',
  about: `As S2, ${PAIRS} pairs of ${CALLERS} callers that go through as many distinct locks as the size says.`,
  entries: [RAW, OURS],
  cpu: 1,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [{ key: 'cpu', title: 'CPU µs a pair', digits: 1 }],
  sizes: [64, 1000, 10_000, 100_000],
  round: (team, size) =>
    team.ask(0, 'pairs', {
      prefix: team.prefix,
      callers: CALLERS,
      each: Math.ceil(PAIRS / CALLERS),
      manner: team.manner,
      distinct: size,
    }),
};
