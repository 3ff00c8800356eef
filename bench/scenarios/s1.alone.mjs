import { amountOf } from './brief.mjs';
import { OURS, OURS_SECTION, PEERS, RAW, REDISSON } from './entries.mjs';
import { NEW, untilCompiled } from './warm.up.mjs';

const PAIRS = amountOf(8000);

/** @param {import('../bench.types.js').Team} team */
const work = (team) =>
  team.ask(0, 'pairs', { prefix: team.prefix, callers: 1, each: PAIRS, manner: team.manner });

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S1',
  title: 'One caller, no contention',
  about: `One caller locks and unlocks ${PAIRS} times, one after the other. It is a round trip for each: what a library adds is all that can differ. ${NEW}`,
  entries: [RAW, OURS, OURS_SECTION, ...PEERS, REDISSON],
  cpu: 0,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 3 },
    { key: 'p99', title: 'p99 ms', digits: 3 },
    { key: 'cpu', title: 'CPU µs a pair', digits: 1 },
    { key: 'trips', title: 'round trips a pair', digits: 2 },
  ],
  isNewEachRound: true,
  warmUp: untilCompiled(work),
  async round(team) {
    const { result, commands } = await team.counting(() => work(team));
    return { ...result, trips: commands / PAIRS };
  },
};
