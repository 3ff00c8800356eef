import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerPort, ServerSession } from '../connections/server.session.js';
import type { Finding } from '../startup/server.findings.js';

const SLOTS = 16_384;

/** Whether every slot of a cluster has a server, and whether its channels are sharded. */
export async function checkCluster(
  { isCluster, servers }: Pick<ServerSession, 'isCluster' | 'servers'>,
  server: ServerPort,
): Promise<Finding> {
  const check = 'cluster';
  if (!isCluster) return { check, status: 'ok', text: 'none: a single server' };
  const info = String(await server.ask('CLUSTER', 'INFO'));
  const covered = Number(/^cluster_slots_ok:(\d+)/m.exec(info)?.[1] ?? 0);
  const masters = `${servers.length} masters`;
  if (!/^cluster_state:ok/m.test(info) || covered < SLOTS)
    return {
      check,
      status: 'fail',
      text: `${masters}, and ${covered} of ${SLOTS} slots are served: locks in the other slots cannot be acquired`,
      remedy: 'redis-cli --cluster check <node>, and bring the missing masters back.',
    };
  if (await hasShardedChannels(server))
    return { check, status: 'ok', text: `${masters}, all slots served, sharded pub/sub` };
  return {
    check,
    status: 'warn',
    text: `${masters}, all slots served, no sharded pub/sub: every release is published to every node`,
    remedy: 'Update to Redis 7 or newer, or allow the user pubsub|shardnumsub.',
  };
}

async function hasShardedChannels(server: ServerPort): Promise<boolean> {
  try {
    await server.ask('PUBSUB', 'SHARDNUMSUB');
    return true;
  } catch (error) {
    if (error instanceof RedisFailure && error.kind === 'refused') return false;
    throw error;
  }
}
