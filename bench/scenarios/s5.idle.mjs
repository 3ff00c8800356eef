import { OURS, PEERS_WAITING } from './entries.mjs';
import { numberOf } from './samples.mjs';

const WAITERS = 100;
const MS = 10_000;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S5',
  title: '100 idle waiters for 10 s',
  about: `${WAITERS} waiters of one process stand behind a lock that another process keeps for ${MS / 1000} s.`,
  entries: [OURS, ...PEERS_WAITING],
  processes: 2,
  cpu: 1,
  rounds: 1,
  isCold: true,
  measure: { key: 'commands', title: 'commands/s', better: 'less', digits: 1 },
  columns: [
    { key: 'cpu', title: 'CPU %', digits: 1 },
    { key: 'idle', title: 'CPU % without waiters', digits: 1 },
  ],
  async round(team) {
    const name = `${team.prefix}:idle`;
    const idle = await team.ask(1, 'rest', { ms: MS / 10 });
    await team.ask(0, 'hold', { name });
    await team.ask(1, 'wait', { name, count: WAITERS });
    await team.ask(1, 'rest', { ms: 500 });
    const { result, commands } = await team.counting(() => team.ask(1, 'rest', { ms: MS }));
    await team.ask(0, 'release');
    await team.ask(1, 'drained');
    return {
      commands: (commands * 1000) / MS,
      cpu: (numberOf(result, 'cpu') * 100) / MS,
      idle: (numberOf(idle, 'cpu') * 1000) / MS,
    };
  },
};
