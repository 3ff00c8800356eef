import { OURS_RENEWING, PEERS_RENEWING } from './entries.mjs';
import { numberOf } from './samples.mjs';

const HOLDS = 2000;
const MS = 20_000;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S6',
  title: '2,000 locks kept alive for 20 s',
  about: `One process keeps ${HOLDS} locks alive with leases of 3 s for ${MS / 1000} s. All renew at a third of the lease; what differs is how.`,
  entries: [OURS_RENEWING, ...PEERS_RENEWING],
  cpu: 1,
  rounds: 1,
  isCold: true,
  measure: { key: 'commands', title: 'commands in 20 s', better: 'less' },
  columns: [
    { key: 'cpu', title: 'CPU s', digits: 2 },
    { key: 'idle', title: 'CPU s without locks', digits: 2 },
  ],
  async round(team) {
    // What a process does when it has just begun is not what it does when it is idle.
    await team.ask(0, 'rest', { ms: 2000 });
    const idle = await team.ask(0, 'rest', { ms: MS / 4 });
    await team.ask(0, 'keep', { prefix: `${team.prefix}:kept`, count: HOLDS });
    const { result, commands } = await team.counting(() => team.ask(0, 'rest', { ms: MS }));
    await team.ask(0, 'free');
    return { commands, cpu: numberOf(result, 'cpu') / 1000, idle: numberOf(idle, 'cpu') / 250 };
  },
};
