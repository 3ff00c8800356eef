import { quantile, samplesOf } from './samples.mjs';
import { sustained } from './sustained.mjs';

const READERS = 1000;
const MS = 1500;
const SETTLE = 500;

/** @type {import('../bench.types.js').Entry} */
const READ = { label: 'the read side', module: 'read-write', settings: { side: 'read' }, role: 'ours' };

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S10',
  title: `${READERS} readers of one lock`,
  about: `${READERS} callers of one process take the read side of one lock again and again for ${MS / 1000} s; and the same through its write side. Let in: from the release of a writer in another process to the last grant of ${READERS} readers that waited for it.`,
  entries: [
    READ,
    { ...READ, label: 'the same through the write side', settings: { side: 'write' }, role: 'limit' },
  ],
  processes: 2,
  cpu: 1,
  measure: { key: 'perSecond', title: 'holds/s', better: 'more' },
  columns: [
    { key: 'trips', title: 'commands a hold', digits: 2 },
    { key: 'letIn', title: 'all let in within, ms', digits: 1 },
    { key: 'letInP50', title: 'half of them, ms', digits: 1 },
  ],
  async round(team) {
    const { perSecond, trips } = await sustained(team, { callers: READERS, ms: MS, processes: [1] });
    const name = `${team.prefix}:readers`;
    await team.ask(0, 'hold', { name: `${name}:write` });
    await team.ask(1, 'wait', { name, count: READERS });
    await team.ask(1, 'rest', { ms: SETTLE });
    const { at } = await team.ask(0, 'release');
    const grants = samplesOf([await team.ask(1, 'drained')], 'grants').map((grant) => grant - Number(at));
    return { perSecond, trips, letIn: Math.max(...grants), letInP50: quantile(grants, 0.5) };
  },
};
