import type { NodeKey } from '../client-port/cluster.map.js';
import type { NodeAddressMap } from '../redis-source/node-redis.source.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { splitAddress } from './address.map.js';
import type { NodeClient } from './node.client.js';
import { whyOf } from './node-redis.trouble.js';
import { readSlots, type SlotTable } from './slots.reader.js';

/** How long one node may take, in ms. */
const ANSWER_TIMEOUT = 1000;

/** What a {@link SlotFinder} is made of. */
export interface SlotFinderParts {
  readonly wheel: TimerWheel;
  /** The nodes of the options. */
  readonly rootNodes: readonly NodeKey[];
  readonly nodeAddressMap?: NodeAddressMap | undefined;
  /** Makes the client of a node, for one question. */
  readonly clientOf: (node: NodeKey) => NodeClient;
}

/** A node that may be asked. */
interface Candidate {
  readonly key: NodeKey;
  /** Undefined where none is connected. */
  readonly client?: NodeClient;
}

/** Asks the nodes of a cluster, one after the other, for the node of each slot. */
export class SlotFinder {
  constructor(private readonly parts: SlotFinderParts) {}

  /**
   * @param pool clients that are connected, or will be
   * @param known the nodes that were known last
   * @param demandsUp whether the cluster must be up
   * @throws Error that has the answer of each node, when none has answered
   */
  async find(
    pool: readonly (readonly [NodeKey, NodeClient])[],
    known: readonly NodeKey[],
    demandsUp: boolean,
  ): Promise<SlotTable> {
    const troubles = new Map<NodeKey, string>();
    for (const candidate of this.#candidates(pool, known)) {
      try {
        return await this.#ask(candidate, demandsUp);
      } catch (error) {
        troubles.set(candidate.key, whyOf(error));
      }
    }
    const [[node, why] = ['', 'there is no node']] = troubles;
    throw new Error(node === '' ? why : `${node}: ${why}`);
  }

  #candidates(pool: readonly (readonly [NodeKey, NodeClient])[], known: readonly NodeKey[]): Candidate[] {
    const connected = pool.flatMap(([key, client]) => (client.status === 'ready' ? [{ key, client }] : []));
    const others = [...new Set([...known, ...this.parts.rootNodes])].map((key) => ({ key }));
    return [...connected, ...others];
  }

  async #ask({ key, client: connected }: Candidate, demandsUp: boolean): Promise<SlotTable> {
    const client = connected ?? this.parts.clientOf(key);
    const errors: unknown[] = [];
    if (connected === undefined) client.on('error', (error: unknown) => errors.push(error));
    try {
      const answer = this.#answerOf(client, key, demandsUp);
      const table = await this.parts.wheel.within(ANSWER_TIMEOUT, answer);
      if (table !== undefined) return table;
      throw new Error(`no answer to CLUSTER SLOTS within ${ANSWER_TIMEOUT} ms`);
    } catch (error) {
      throw errors[0] ?? error;
    } finally {
      if (connected === undefined) client.disconnect();
    }
  }

  async #answerOf(client: NodeClient, key: NodeKey, demandsUp: boolean): Promise<SlotTable> {
    const reply = await client.call('CLUSTER', 'SLOTS');
    if (demandsUp) {
      // A user may lack the permission for this.
      const state = await client.call('CLUSTER', 'INFO').catch(() => '');
      if (/^cluster_state:fail/m.test(String(state))) throw new Error('CLUSTERDOWN the cluster is down');
    }
    const table = readSlots(reply, splitAddress(key).host, this.parts.nodeAddressMap);
    if (table.masters.length === 0) throw new Error('CLUSTERDOWN the cluster has no slots');
    return table;
  }
}
