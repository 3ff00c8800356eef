import { OURS, OURS_SECTION, PEERS, RAW, REDISSON } from './entries.mjs';

const PAIRS = 8000;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S1',
  title: 'One caller, no contention',
  about: `One caller locks and unlocks ${PAIRS} times, one after the other. It is a round trip for each: what a library adds is all that can differ.`,
  entries: [RAW, OURS, OURS_SECTION, ...PEERS, REDISSON],
  cpu: 0,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 3 },
    { key: 'p99', title: 'p99 ms', digits: 3 },
    { key: 'cpu', title: 'CPU µs a pair', digits: 1 },
    { key: 'trips', title: 'round trips a pair', digits: 2 },
  ],
  async round(team) {
    const options = { prefix: team.prefix, callers: 1, each: PAIRS, manner: team.manner };
    const { result, commands } = await team.counting(() => team.ask(0, 'pairs', options));
    return { ...result, trips: commands / PAIRS };
  },
};
