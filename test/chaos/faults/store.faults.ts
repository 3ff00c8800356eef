import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/until.js';
import type { TopologyServer } from '../../support/topology/topology.server.js';
import type { Dice } from '../chaos.types.js';
import type { BreakableGround, GroundFault } from './breakable.ground.js';
import { between, oneOf } from './random.picks.js';
import { infoOf, sendTo } from './server.line.js';

/** Filler for a store that may evict: few and large, so that what is evicted is often not the filler. */
const FILLER = { keys: 40, bytes: 20_000 };
const FILL = `for i = 1, ${FILLER.keys} do redis.call('SET', KEYS[1] .. i, string.rep('x', ${FILLER.bytes})) end`;
const CLEAR = `for i = 1, ${FILLER.keys} do redis.call('DEL', KEYS[1] .. i) end`;
const ENDLESS = 'while true do end';

/** What befalls a store that stays where it is: it forgets, or refuses, or keeps everybody waiting. */
export const STORE_FAULTS: readonly GroundFault[] = [
  everywhere('SCRIPT FLUSH', false, async (server, random) => {
    const times = between(random, 1, 10);
    for (let time = 0; time < times; time += 1) {
      await sendTo(server.port, 'SCRIPT', 'FLUSH', 'SYNC');
      await sleep(random.below(200));
    }
    return `SCRIPT FLUSH, ${times} times`;
  }),
  everywhere('FLUSHALL', true, async (server) => {
    await sendTo(server.port, 'FLUSHALL');
    return 'FLUSHALL';
  }),
  everywhere('eviction', true, async (server, random) => {
    const ms = between(random, 300, 2000);
    const filler = await keyOn(server);
    const before = await evicted(server);
    await set(server, 'maxmemory-policy', 'allkeys-random');
    const end = performance.now() + ms;
    while (performance.now() < end) {
      await set(server, 'maxmemory', '0');
      await sendTo(server.port, 'EVAL', FILL, '1', filler);
      await limit(server, (-FILLER.keys * FILLER.bytes) / 2);
      await sleep(50);
    }
    await set(server, 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
    await sendTo(server.port, 'EVAL', CLEAR, '1', filler);
    return `evicted under maxmemory for ${ms} ms: ${(await evicted(server)) - before} keys`;
  }),
  everywhere('CLIENT PAUSE', false, async (server, random, ground) => {
    const ms = between(random, 100, ground.patience);
    const what = oneOf(random, ['ALL', 'WRITE']);
    await sendTo(server.port, 'CLIENT', 'PAUSE', `${ms}`, what);
    await sleep(ms);
    return `CLIENT PAUSE ${ms} ${what}`;
  }),
  everywhere('busy script', false, async (server, random, ground) => {
    const ms = between(random, 150, ground.patience);
    await set(server, 'busy-reply-threshold', '100');
    const busy = sendTo(server.port, 'EVAL', ENDLESS, '0').catch(() => undefined);
    const isOver = async () => await Promise.race([busy.then(() => true), sleep(20, false)]);
    await sleep(ms);
    // A kill that comes before the script has begun kills nothing. A sentinel that is told of the script kills it, too.
    do await sendTo(server.port, 'SCRIPT', 'KILL').catch(() => undefined);
    while (!(await isOver()));
    await set(server, 'busy-reply-threshold', '5000');
    return `a script was busy for ${ms} ms`;
  }),
  {
    name: 'READONLY',
    lossy: false,
    // A replica of nobody refuses writes, and keeps what it has until it has found its master, which it never does.
    topologies: ['standalone'],
    async inject({ ground }, random) {
      const [{ port } = { port: 0 }] = ground.servers;
      const ms = between(random, 200, 2500);
      await sendTo(port, 'REPLICAOF', '127.0.0.1', '1');
      await sleep(ms);
      await sendTo(port, 'REPLICAOF', 'NO', 'ONE');
      return `READONLY for ${ms} ms`;
    },
  },
  everywhere('OOM', false, async (server, random) => {
    const ms = between(random, 200, 2500);
    await limit(server, -200_000);
    await sleep(ms);
    await set(server, 'maxmemory', '0');
    return `OOM for ${ms} ms`;
  }),
  everywhere('MISCONF', false, async (server, random, ground) => {
    const ms = between(random, 100, ground.patience);
    const [, folder = ''] = await words(server, 'CONFIG', 'GET', 'dir');
    // A file cannot take the place of a folder that is not empty, whoever writes it. A replica may have left one.
    const blocker = join(folder, 'dump.rdb');
    await rm(blocker, { recursive: true, force: true });
    await mkdir(join(blocker, 'in-the-way'), { recursive: true });
    try {
      await set(server, 'save', '3600 1');
      await sendTo(server.port, 'BGSAVE');
      const status = () => infoOf(server.port, 'persistence', 'rdb_last_bgsave_status');
      await until('a save fails', async () => (await status()) === 'err');
      await sleep(ms);
    } finally {
      await set(server, 'save', '');
      await rm(blocker, { recursive: true, force: true });
    }
    return `MISCONF for ${ms} ms`;
  }),
];

/** A fault of one master. */
function everywhere(
  name: string,
  lossy: boolean,
  befall: (server: TopologyServer, random: Dice, ground: BreakableGround) => Promise<string>,
): GroundFault {
  return {
    name,
    lossy,
    async inject({ ground }, random) {
      const server = oneOf(random, await ground.store.masters());
      return `${server.port}: ${await befall(server, random, ground)}`;
    },
  };
}

async function set({ port }: TopologyServer, ...settings: string[]): Promise<void> {
  await sendTo(port, 'CONFIG', 'SET', ...settings);
}

/** @param spare bytes that it may use beside those that it uses */
async function limit(server: TopologyServer, spare: number): Promise<void> {
  const used = Number(await infoOf(server.port, 'memory', 'used_memory'));
  await set(server, 'maxmemory', `${Math.max(1, used + spare)}`);
}

async function evicted({ port }: TopologyServer): Promise<number> {
  return Number(await infoOf(port, 'stats', 'evicted_keys'));
}

/** The beginning of keys that this server keeps: a node of a cluster refuses those of others. */
async function keyOn({ port }: TopologyServer): Promise<string> {
  for (let tag = 0; ; tag += 1) {
    const key = `filler:{${tag}}`;
    const answer = await sendTo(port, 'DEL', key).catch((error: Error) => error.message);
    if (!String(answer).startsWith('MOVED')) return key;
  }
}

async function words({ port }: TopologyServer, ...command: string[]): Promise<string[]> {
  const answer = await sendTo(port, ...command);
  return Array.isArray(answer) ? answer.map(String) : [];
}
