const CALLERS = 16;
const EACH = 100;

/** @type {import('../bench.types.js').Entry} */
const BARE = {
  label: 'a handler, bare',
  module: 'nest-handlers',
  settings: { guarded: false },
  role: 'limit',
  manner: 'section',
};

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S8H',
  title: 'The decorator on a handler',
  about: `${CALLERS} clients ask a handler of a Nest application on Express ${EACH} times, one request after the other, each with an id of its own: with @DistributedLock, and without. Clients and application are one process.`,
  entries: [
    BARE,
    { ...BARE, label: 'a handler, @DistributedLock', settings: { guarded: true }, role: 'ours' },
  ],
  measure: { key: 'perSecond', title: 'requests/s', better: 'more' },
  columns: [
    { key: 'p50', title: 'p50 ms', digits: 2 },
    { key: 'p99', title: 'p99 ms', digits: 2 },
    { key: 'cpu', title: 'CPU µs a request', digits: 0 },
  ],
  round: (team) =>
    team.ask(0, 'pairs', { prefix: team.prefix, callers: CALLERS, each: EACH, manner: team.manner }),
};
