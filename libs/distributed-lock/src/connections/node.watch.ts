import type { Cluster, Redis } from 'ioredis';
import type { ConnectionTrouble } from '../redis/connection.trouble.js';
import {
  HandshakeCheck,
  replaceMethod,
  type Demands,
  type WarningListener,
} from '../redis/handshake.check.js';

/** A node need not be a master: the cluster's map knows its role. */
type NodeDemands = Pick<Demands, 'resp3'>;

/**
 * Reads events of a cluster's nodes that ioredis does not pass on: the handshake of each connection, also of those that ioredis uses to
 * read the slots, and why the cluster does not count as ready.
 */
export function watchNodes(
  cluster: Cluster,
  trouble: ConnectionTrouble,
  { resp3 }: NodeDemands,
  warn: WarningListener,
): void {
  const demands = { master: false, resp3 };
  cluster.on('+node', (node: Redis) => {
    HandshakeCheck.on(node, demands, warn);
    const { host, port } = node.options;
    const duplicate = node.duplicate.bind(node);
    node.duplicate = (options) => {
      const copy = duplicate(options);
      HandshakeCheck.on(copy, demands, warn);
      // ioredis rejects commands that wait for such a connection with "Connection is closed." alone.
      copy.on('error', (error) => trouble.recordNode(error, `${host}:${port}`));
      return copy;
    };
    node.on('ready', () => trouble.clearNode(`${host}:${port}`));
  });
  cluster.on('node error', (error: unknown, node: string) => trouble.recordNode(error, node));
  // A name that cannot be resolved emits no event: the reason is passed to the function that decides about the next attempt.
  const { clusterRetryStrategy: retry } = cluster.options;
  if (typeof retry === 'function')
    cluster.options.clusterRetryStrategy = (attempt, reason) => {
      if (reason !== undefined) trouble.record(reason);
      return retry(attempt, reason);
    };
  // Also without an event, ioredis drops the connections to a cluster that reports that it is down, or does not answer.
  replaceMethod(cluster, 'cluster', async (ask, words) => {
    if (words[0] !== 'INFO') return await ask(...words);
    try {
      const answer = await ask(...words);
      if (/^cluster_state:fail/m.test(String(answer)))
        trouble.record(new Error('CLUSTERDOWN the cluster is down'));
      return answer;
    } catch (error) {
      trouble.record(error);
      throw error;
    }
  });
}
