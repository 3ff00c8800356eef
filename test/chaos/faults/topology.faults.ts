import { setTimeout as sleep } from 'node:timers/promises';
import type { GroundFault } from './breakable.ground.js';
import { between, oneOf, someOf } from './random.picks.js';
import { sendTo } from './server.line.js';

const SLOTS = 16_384;

/** What befalls a store of several servers. */
export const TOPOLOGY_FAULTS: readonly GroundFault[] = [
  {
    name: 'replica lags',
    lossy: false,
    topologies: ['sentinel', 'cluster'],
    async inject({ ground }, random) {
      const victims = someOf(random, await ground.replicas());
      const ms = between(random, 300, 4000);
      for (const victim of victims) await victim.pause();
      await sleep(ms);
      for (const victim of victims) await victim.resume();
      await ground.whole();
      return `replica ${victims.map(({ port }) => port).join(', ')} stopped for ${ms} ms`;
    },
  },
  {
    name: 'replica killed',
    lossy: false,
    topologies: ['sentinel', 'cluster'],
    async inject({ ground }, random) {
      const victim = oneOf(random, await ground.replicas());
      const ms = random.below(1000);
      await victim.kill();
      await sleep(ms);
      await ground.restart(victim, true);
      return `replica ${victim.port} killed, back after ${ms} ms`;
    },
  },
  {
    name: 'failover in order',
    lossy: false,
    // The master stands still until its replica has caught up. Sentinel's, below, does not wait.
    topologies: ['cluster'],
    async inject({ ground }, random) {
      const slot = await slotInUse(ground.servers, random.below(SLOTS));
      const { port } = await ground.cluster.failOver(slot);
      await ground.whole();
      return `CLUSTER FAILOVER: slot ${slot} to ${port}`;
    },
  },
  {
    name: 'slot migration',
    lossy: false,
    topologies: ['cluster'],
    async inject({ ground }, random) {
      const slot = await slotInUse(ground.servers, random.below(SLOTS));
      const from = await ground.cluster.masterOf(slot);
      const others = (await ground.store.masters()).filter((server) => server !== from);
      const to = oneOf(random, others);
      const ms = random.below(1500);
      await ground.cluster.migrateSlot(slot, to, () => sleep(ms));
      return `slot ${slot} from ${from.port} to ${to.port}, for ${ms} ms at both`;
    },
  },
  {
    name: 'SENTINEL FAILOVER',
    lossy: true,
    topologies: ['sentinel'],
    async inject({ ground }) {
      const { port } = await ground.sentinel.failOver();
      await ground.whole();
      return `SENTINEL FAILOVER: to ${port}`;
    },
  },
  {
    name: 'master killed',
    lossy: true,
    topologies: ['sentinel', 'cluster'],
    async inject({ ground }, random) {
      const slot = await slotInUse(ground.servers, random.below(SLOTS));
      const former = await (ground.topology === 'cluster'
        ? ground.cluster.killMaster(slot)
        : ground.sentinel.killMaster());
      const { port } = await (ground.topology === 'cluster'
        ? ground.cluster.succeeded(slot, former)
        : ground.sentinel.succeeded(former));
      await ground.restart(former, true);
      return `kill -9 of master ${former.port}: ${port} took its place`;
    },
  },
  {
    name: 'master stopped',
    lossy: true,
    topologies: ['sentinel', 'cluster'],
    async inject({ ground }, random) {
      const master = oneOf(random, await ground.store.masters());
      const ms = between(random, 500, 5000);
      await master.pause();
      await sleep(ms);
      await master.resume();
      // One that was replaced meanwhile learns of it, and forgets what it did since.
      await ground.whole();
      return `SIGSTOP of master ${master.port} for ${ms} ms`;
    },
  },
];

/** A slot that has keys, so that a fault of one slot befalls a lock; any slot where there is none. */
async function slotInUse(servers: readonly { readonly port: number }[], otherwise: number): Promise<number> {
  for (const { port } of servers) {
    const key = await sendTo(port, 'RANDOMKEY').catch(() => null);
    if (typeof key !== 'string') continue;
    const slot = await sendTo(port, 'CLUSTER', 'KEYSLOT', key).catch(() => otherwise);
    return Number(slot);
  }
  return otherwise;
}
