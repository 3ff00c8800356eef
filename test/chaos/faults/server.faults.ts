import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.js';
import type { TopologyServer } from '../../support/topology/topology.server.js';
import type { Dice } from '../chaos.types.js';
import type { BreakableGround, GroundFault } from './breakable.ground.js';
import { between, oneOf } from './random.picks.js';
import { infoOf, sendTo } from './server.line.js';
import { CLOCK_STEP } from './worker.faults.js';

/** So many keys of so many bytes are loaded slowly: between any two of them Redis has time to refuse. */
const BALLAST = { keys: 2000, bytes: 600 };
const MAKE_BALLAST = `for i = 1, ${BALLAST.keys} do redis.call('SET', 'ballast:' .. i, string.rep('x', ${BALLAST.bytes})) end`;
const DROP_BALLAST = `for i = 1, ${BALLAST.keys} do redis.call('DEL', 'ballast:' .. i) end`;

/** What befalls the processes of the store. */
export const SERVER_FAULTS: readonly GroundFault[] = [
  {
    name: 'redis killed, restarted with data',
    lossy: false,
    // With replicas, one of them might take its place, and would not know all.
    topologies: ['standalone'],
    inject: ({ ground }, random) => killed(ground, random, true),
  },
  {
    name: 'redis killed, restarted without data',
    lossy: true,
    inject: ({ ground }, random) => killed(ground, random, false),
  },
  {
    name: 'redis stopped',
    lossy: false,
    topologies: ['standalone'],
    async inject({ ground }, random) {
      const [master] = await ground.store.masters();
      const ms = between(random, 200, ground.patience);
      await master?.pause();
      await sleep(ms);
      await master?.resume();
      return `SIGSTOP of the server for ${ms} ms`;
    },
  },
  {
    name: 'redis loading',
    lossy: false,
    topologies: ['standalone'],
    async inject({ ground }, random) {
      const server = oneOf(random, ground.servers);
      const ms = between(random, 300, 2500);
      await sendTo(server.port, 'EVAL', MAKE_BALLAST, '0');
      await sendTo(server.port, 'BGREWRITEAOF');
      await until(
        'the ballast is in the base file',
        async () =>
          (await infoOf(server.port, 'persistence', 'aof_rewrite_in_progress')) === '0' &&
          (await infoOf(server.port, 'persistence', 'aof_rewrite_scheduled')) === '0',
      );
      await server.kill();
      await ground.restartLoading(server, Math.ceil((ms * 1000) / BALLAST.keys));
      await sendTo(server.port, 'EVAL', DROP_BALLAST, '0');
      return `killed, and loading for ${ms} ms`;
    },
  },
  {
    name: 'clock of redis stepped',
    lossy: true,
    async inject({ ground }, random) {
      const seconds = random.below(2) === 0 ? CLOCK_STEP : -CLOCK_STEP;
      const ms = between(random, 500, 3000);
      await ground.setStoreClock(seconds);
      await sleep(ms);
      await ground.setStoreClock(0);
      await ground.whole();
      return `clock of the store at ${seconds} s for ${ms} ms`;
    },
  },
];

async function killed(ground: BreakableGround, random: Dice, keepData: boolean): Promise<string> {
  const server: TopologyServer = oneOf(random, await ground.store.masters());
  const ms = random.below(3) === 0 ? 0 : random.below(ground.patience);
  await server.kill();
  await sleep(ms);
  await ground.restart(server, keepData);
  return `kill -9 of ${server.port}, back after ${ms} ms ${keepData ? 'with' : 'without'} its data`;
}
