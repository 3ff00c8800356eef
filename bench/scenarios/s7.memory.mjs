import { OURS, PEERS_WAITING } from './entries.mjs';
import { numberOf } from './samples.mjs';

const COUNT = 10_000;
const CYCLES = 5;
/** Those who poll need minutes until each of ten thousand has had its turn. */
const POLLING = 1000;

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S7',
  title: 'Memory',
  about: `The heap that ${COUNT} held locks take, and ${COUNT} waiters behind one lock (of peers ${POLLING}), in one process. Growth: what ${CYCLES} cycles of taking and releasing as many leave behind, after more than as many before, since compiled code is on the heap as well.`,
  entries: [OURS, ...PEERS_WAITING.filter(({ label }) => !label.includes('fast'))],
  processes: 2,
  cpu: 1,
  // What was compiled goes from the heap while others have their rounds, and comes back.
  isAlone: true,
  rounds: 1,
  measure: { key: 'perHeld', title: 'bytes a held lock', better: 'less' },
  columns: [
    { key: 'perWaiter', title: 'bytes a waiter' },
    { key: 'growth', title: 'growth, bytes a lock', digits: 1 },
  ],
  async round(team) {
    const bytes = async () => numberOf(await team.ask(1, 'heap'), 'bytes');
    const prefix = `${team.prefix}:memory`;
    const name = `${prefix}:waiters`;
    const take = () => team.ask(1, 'keep', { prefix, count: COUNT });
    const give = () => team.ask(1, 'free');
    const cycles = async () => {
      for (let time = 0; time < CYCLES; time += 1) {
        await take();
        await give();
      }
      return await bytes();
    };
    const before = await cycles();
    await take();
    const held = await bytes();
    await give();
    const released = await cycles();
    const growth = (await cycles()) - released;
    const waiters = team.role === 'peer' ? POLLING : COUNT;
    await team.ask(0, 'hold', { name });
    const alone = await bytes();
    await team.ask(1, 'wait', { name, count: waiters });
    await team.ask(1, 'rest', { ms: 1000 });
    const waiting = await bytes();
    await team.ask(0, 'release');
    await team.ask(1, 'drained');
    return {
      perHeld: (held - before) / COUNT,
      perWaiter: (waiting - alone) / waiters,
      growth: growth / COUNT,
    };
  },
};
