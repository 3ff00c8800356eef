import { setTimeout as sleep } from 'node:timers/promises';
import { amountOf } from './brief.mjs';
import { BARE_HANDOVER, OURS, OURS_FAIR, PEERS_WAITING, REDISSON } from './entries.mjs';
import { quantile, samplesOf } from './samples.mjs';
import { WARM, warmUp } from './warm.up.mjs';

/** Hand-offs of a round, at least; and for how long another one is begun, in ms. */
const LEAST = amountOf(20);
const TIME = amountOf(3000);

/** @type {import('../bench.types.js').Scenario} */
export default {
  id: 'S14',
  title: 'From one process to another',
  about: `One process holds the lock, and one waiter in another process waits as long as the size says, in ms; the holder releases. The gap is the time from the call of the release to the grant. The limit is a script that releases and publishes, and one that acquires, by two bare clients with a subscription that stands. ${WARM}`,
  entries: [BARE_HANDOVER, OURS, OURS_FAIR, ...PEERS_WAITING, REDISSON],
  processes: 2,
  sizes: [20, 500],
  measure: { key: 'gapP50', title: 'gap p50 ms', better: 'less', digits: 2 },
  columns: [
    { key: 'gapP99', title: 'p99 ms', digits: 2 },
    { key: 'trips', title: 'commands a hand-off', digits: 1 },
  ],
  warmUp: (team) => warmUp(team, 1),
  async round(team, size) {
    const name = `${team.prefix}:handover`;
    const end = performance.now() + TIME;
    /** @type {number[]} */
    const gaps = [];
    let sent = 0;
    while (gaps.length < LEAST || performance.now() < end) {
      const holder = gaps.length % 2;
      await team.ask(holder, 'hold', { name });
      await team.ask(1 - holder, 'wait', { name, count: 1 });
      await sleep(size);
      const { result, commands } = await team.counting(async () => {
        const { at } = await team.ask(holder, 'release');
        return { at: Number(at), drained: await team.ask(1 - holder, 'drained') };
      });
      sent += commands;
      gaps.push((samplesOf([result.drained], 'grants')[0] ?? NaN) - result.at);
    }
    return { gapP50: quantile(gaps, 0.5), gapP99: quantile(gaps, 0.99), trips: sent / gaps.length };
  },
};
