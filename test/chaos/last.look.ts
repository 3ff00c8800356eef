import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { scaled } from '../support/slowness.js';
import { isReport } from '../support/declared.keys.js';

/** What is left in the store, by name. */
export interface Leftovers {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

/** Records of calls end by themselves; whoever was killed in the middle of one could not end it. */
const RECORD = /:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:\d+$/;

/** What stays, as declared: tokens, and the counts of semaphores. */
function isDeclared(key: string, prefix: string): boolean {
  return (
    key.startsWith(`redisson_lock_token:{${prefix}fenced-`) ||
    ['permit-', 'semaphore-'].some((name) => key.startsWith(prefix + name) && !RECORD.test(key))
  );
}

/**
 * Asks all masters what is left, until nothing is, or `within` ms are over.
 */
export async function lookForLeftovers(
  ports: readonly number[],
  prefix: string,
  within: number,
): Promise<Leftovers> {
  const servers = ports.map((port) => new Redis(port, '127.0.0.1'));
  try {
    const end = performance.now() + scaled(within);
    for (;;) {
      const left = await look(servers, prefix);
      if (left.keys.length + left.channels.length === 0 || performance.now() > end) return left;
      await sleep(50);
    }
  } finally {
    for (const server of servers) server.disconnect();
  }
}

async function look(servers: readonly Redis[], prefix: string): Promise<Leftovers> {
  const answers = await Promise.all(
    servers.map(async (server) => {
      const keys = await server.keys(`*${prefix}*`);
      const classic = await server.pubsub('CHANNELS', `*${prefix}*`);
      const sharded = await server.call('PUBSUB', 'SHARDCHANNELS', `*${prefix}*`).catch(() => []);
      return { keys, channels: [classic, sharded].flat().map(String) };
    }),
  );
  const keys = answers.flatMap((answer) => answer.keys);
  return {
    keys: keys.filter((key) => !isDeclared(key, prefix) && !RECORD.test(key) && !isReport(key)),
    channels: answers.flatMap(({ channels }) => channels),
  };
}
