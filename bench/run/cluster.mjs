import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startRedis } from '../../tools/redis/redis.runner.mjs';

/** Slots of a cluster. */
const SLOTS = 16_384;

/** How long its nodes may take to find together, in ms. */
const PATIENCE = 20_000;

const NODE = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];

/**
 * A cluster of masters, each with as many slots as the others.
 * @param {number} count
 * @returns {Promise<{ url: string, pids: number[], stop: () => Promise<void> }>}
 */
export async function startCluster(count) {
  const servers = await Promise.all(Array.from({ length: count }, () => startRedis({ args: NODE })));
  const clients = servers.map(({ url }) => new Redis(url));
  const [first] = clients;
  if (first === undefined) throw new Error('a cluster has at least one node');
  const share = Math.ceil(SLOTS / count);
  await Promise.all(
    clients.map((client, index) => {
      const slots = Array.from({ length: SLOTS }, (_, slot) => slot).slice(
        index * share,
        (index + 1) * share,
      );
      return client.cluster('ADDSLOTS', ...slots);
    }),
  );
  for (const { url } of servers) {
    const { hostname, port } = new URL(url);
    await first.cluster('MEET', hostname, Number(port));
  }
  const isWell = async (/** @type {Redis} */ client) => {
    const info = String(await client.cluster('INFO'));
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${count}`);
  };
  const end = performance.now() + PATIENCE;
  while (!(await Promise.all(clients.map(isWell))).every(Boolean)) {
    if (performance.now() > end) throw new Error(`the cluster did not form within ${PATIENCE} ms`);
    await sleep(100);
  }
  for (const client of clients) client.disconnect();
  return {
    url: `redis-cluster:${servers.map(({ url }) => url).join(',')}`,
    pids: servers.flatMap(({ pid }) => pid ?? []),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
