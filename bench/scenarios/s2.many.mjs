import {
  OURS,
  OURS_SECTION,
  PEERS,
  PEERS_PIPELINED,
  RAW,
  RAW_PIPELINED,
  RAW_SCOPED,
  REDISSON,
} from './entries.mjs';
import { TWICE } from './warm.up.mjs';

const CALLERS = 64;
const EACH = 750;

/** @param {import('../bench.types.js').Team} team */
const work = (team) =>
  team.ask(0, 'pairs', { prefix: team.prefix, callers: CALLERS, each: EACH, manner: team.manner });

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S2',
  title: '64 callers, different locks',
  about: `${CALLERS} callers of one process, each with a lock of its own, lock and unlock ${EACH} times. The client is the bottleneck, not the server: a client that batches the commands of one turn of the event loop is ahead. ${TWICE}`,
  entries: [RAW, RAW_PIPELINED, RAW_SCOPED, OURS, OURS_SECTION, ...PEERS, ...PEERS_PIPELINED, REDISSON],
  cpu: 1,
  measure: { key: 'perSecond', title: 'pairs/s', better: 'more' },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 3 },
    { key: 'p99', title: 'p99 ms', digits: 3 },
    { key: 'cpu', title: 'CPU µs a pair', digits: 1 },
    { key: 'trips', title: 'commands a pair', digits: 2 },
  ],
  warmUp: work,
  async round(team) {
    const { result, commands } = await team.counting(() => work(team));
    return { ...result, trips: commands / (CALLERS * EACH) };
  },
};
