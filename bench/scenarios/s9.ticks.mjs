import { numberOf, quantile, samplesOf } from './samples.mjs';

const INSTANCES = 50;
const JOBS = 20;
const SECONDS = 8;

/** @type {import('../bench.types.js').Entry} */
const UNGUARDED = {
  label: 'jobs of @nestjs/schedule, each run by all instances',
  module: 'nest-ticks',
  settings: { guarded: false, jobs: JOBS },
  role: 'limit',
};

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S9',
  title: `Ticks: ${INSTANCES} instances with ${JOBS} jobs a second`,
  about: `${INSTANCES} instances of an application, each a process, with ${JOBS} jobs that run each second, for ${SECONDS} s. Late: from the nominal instant to the first start of a job in the fleet. A run of a guarded job is one of the fleet's.`,
  entries: [
    UNGUARDED,
    {
      ...UNGUARDED,
      label: 'the same, with a PING before each start',
      settings: { ...UNGUARDED.settings, asks: true },
    },
    {
      ...UNGUARDED,
      label: 'with @DistributedLock, each run by one',
      settings: { ...UNGUARDED.settings, guarded: true },
      role: 'ours',
    },
  ],
  processes: INSTANCES,
  isAlone: true,
  rounds: 3,
  measure: { key: 'lateP50', title: 'first start late, p50 ms', better: 'less', digits: 1 },
  columns: [
    { key: 'lateP99', title: 'p99 ms', digits: 1 },
    { key: 'runs', title: 'runs a tick', digits: 2 },
    { key: 'commands', title: 'commands an instance and tick', digits: 3 },
    { key: 'cpu', title: 'CPU % of a core', digits: 0 },
  ],
  async round(team) {
    await team.all('look');
    const { result, commands } = await team.counting(() => team.all('rest', { ms: SECONDS * 1000 }));
    const seen = await team.all('look');
    const runs = samplesOf(seen, 'runs');
    const starts = samplesOf(seen, 'starts');
    /** @type {Map<string, number>} */
    const first = new Map();
    for (const [index, start] of starts.entries()) {
      const nominal = Math.floor(start / 1000) * 1000;
      const id = `${runs[index]} ${nominal}`;
      first.set(id, Math.min(first.get(id) ?? Infinity, start - nominal));
    }
    const late = [...first.values()];
    return {
      lateP50: quantile(late, 0.5),
      lateP99: quantile(late, 0.99),
      runs: starts.length / first.size,
      commands: commands / (SECONDS * INSTANCES * JOBS),
      cpu: result.reduce((sum, figures) => sum + numberOf(figures, 'cpu'), 0) / (SECONDS * 10),
    };
  },
};
