import { amountOf } from './brief.mjs';
import { RAW } from './entries.mjs';
import { NEW, untilCompiled } from './warm.up.mjs';

const CALLS = amountOf(8000);

/** @type {import('../bench.types.js').Entry} */
const BARE = {
  label: 'a method of a provider, bare',
  module: 'nest-methods',
  settings: { guarded: false },
  role: 'ours',
  manner: 'section',
};

/** @param {import('../bench.types.js').Team} team */
const work = (team) =>
  team.ask(0, 'pairs', { prefix: team.prefix, callers: 1, each: CALLS, manner: team.manner });

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S8',
  title: 'The decorator',
  about: `One caller calls a method of a Nest provider ${CALLS} times, one call after the other: with @DistributedLock, and without. What the lock costs is the difference, to be compared with the raw script pair. ${NEW}`,
  entries: [
    { ...RAW, manner: 'section' },
    BARE,
    { ...BARE, label: 'a method of a provider, @DistributedLock', settings: { guarded: true } },
  ],
  cpu: 0,
  measure: { key: 'cpu', title: 'CPU µs a call', better: 'less', digits: 1 },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 4 },
    { key: 'p99', title: 'p99 ms', digits: 3 },
  ],
  isNewEachRound: true,
  warmUp: untilCompiled(work),
  round: work,
};
