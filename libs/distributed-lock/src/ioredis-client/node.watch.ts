import type { Cluster, Redis } from 'ioredis';
import type { WarningListener } from '../client-port/connection.warning.js';
import type { Timer, TimerWheel } from '../timing/timer.wheel.js';
import { HandshakeCheck, replaceMethod, type Demands } from './handshake.check.js';
import type { IoredisTrouble } from './ioredis.trouble.js';

/** How long one node has to report the state of the cluster before the next request, in ms, and the number of requests. */
const STATE_OF_CLUSTER = { patience: 100, questions: 5 };

/** A node need not be a master: the cluster's map knows its role. */
interface NodeWatchParts extends Pick<Demands, 'resp3'> {
  readonly wheel: TimerWheel;
  readonly warn: WarningListener;
}

/**
 * Reads events of a cluster's nodes that ioredis does not pass on: the handshake of each connection, also of those that ioredis uses to
 * read the slots, and why the cluster does not count as ready.
 */
export function watchNodes(
  cluster: Cluster,
  trouble: IoredisTrouble,
  { resp3, wheel, warn }: NodeWatchParts,
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
      const answer = await firstAnswer(() => ask(...words), wheel);
      if (/^cluster_state:fail/m.test(String(answer)))
        trouble.record(new Error('CLUSTERDOWN the cluster is down'));
      return answer;
    } catch (error) {
      trouble.record(error);
      throw error;
    }
  });
}

/**
 * Asks once more whenever there is no answer in time: ioredis picks a random node each time, and one that stands still must not keep an
 * application from starting on the others.
 */
async function firstAnswer(ask: () => Promise<unknown>, wheel: TimerWheel): Promise<unknown> {
  let timer: Timer | undefined;
  const { patience, questions } = STATE_OF_CLUSTER;
  try {
    return await new Promise((resolve, reject) => {
      const askOnce = (left: number) => {
        ask().then(resolve, reject);
        if (left > 1) timer = wheel.after(patience, () => askOnce(left - 1));
      };
      askOnce(questions);
    });
  } finally {
    wheel.cancel(timer);
  }
}
