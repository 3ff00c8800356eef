import type { NodeKey } from '../client-port/cluster.map.js';
import type { NodeAddressMap } from '../redis-source/node-redis.source.js';
import { machine } from '../timing/machine.js';
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

/** Of a node that sees too few others. */
const DOWN = 'CLUSTERDOWN the cluster is down';

/** What a node knows. */
interface KnownSlots {
  readonly table: SlotTable;
  /** Whether the node sees its cluster: one that is cut off may have been replaced. */
  readonly isUp: boolean;
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
   * @param demandsUp whether a node that sees its cluster must have answered: else that of another one will do
   * @throws Error that has the answer of each node, when none has answered
   */
  async find(
    pool: readonly (readonly [NodeKey, NodeClient])[],
    known: readonly NodeKey[],
    demandsUp: boolean,
  ): Promise<SlotTable> {
    const troubles = new Map<NodeKey, string>();
    const answered = new Set<NodeKey>();
    let outdated: SlotTable | undefined;
    for (const candidate of this.#candidates(pool, known)) {
      if (answered.has(candidate.key)) continue;
      try {
        const { table, isUp } = await this.#ask(candidate);
        if (isUp) return table;
        answered.add(candidate.key);
        outdated ??= table;
        troubles.set(candidate.key, DOWN);
      } catch (error) {
        troubles.set(candidate.key, whyOf(error));
      }
    }
    if (outdated !== undefined && !demandsUp) return outdated;
    const [[node, why] = ['', 'there is no node']] = troubles;
    throw new Error(node === '' ? why : `${node}: ${why}`);
  }

  /** Another one first each time: the first one may be cut off from the others, and know nothing of a change. */
  #candidates(pool: readonly (readonly [NodeKey, NodeClient])[], known: readonly NodeKey[]): Candidate[] {
    const connected = pool.flatMap(([key, client]) => (client.status === 'ready' ? [{ key, client }] : []));
    const first = Math.floor(machine.global.Math.random() * connected.length);
    const others = [...new Set([...known, ...this.parts.rootNodes])].map((key) => ({ key }));
    return [...connected.slice(first), ...connected.slice(0, first), ...others];
  }

  async #ask({ key, client: connected }: Candidate): Promise<KnownSlots> {
    const client = connected ?? this.parts.clientOf(key);
    const errors: unknown[] = [];
    if (connected === undefined) client.on('error', (error: unknown) => errors.push(error));
    try {
      const answer = await this.parts.wheel.within(ANSWER_TIMEOUT, this.#answerOf(client, key));
      if (answer !== undefined) return answer;
      throw new Error(`no answer to CLUSTER SLOTS within ${ANSWER_TIMEOUT} ms`);
    } catch (error) {
      throw errors[0] ?? error;
    } finally {
      if (connected === undefined) client.disconnect();
    }
  }

  async #answerOf(client: NodeClient, key: NodeKey): Promise<KnownSlots> {
    const [reply, state] = await Promise.all([
      client.call('CLUSTER', 'SLOTS'),
      // A user may lack the permission for this.
      client.call('CLUSTER', 'INFO').catch(() => ''),
    ]);
    const table = readSlots(reply, splitAddress(key).host, this.parts.nodeAddressMap);
    if (table.masters.length === 0) throw new Error('CLUSTERDOWN the cluster has no slots');
    return { table, isUp: !/^cluster_state:fail/m.test(String(state)) };
  }
}
