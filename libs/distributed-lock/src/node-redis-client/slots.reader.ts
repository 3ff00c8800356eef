import type { NodeKey } from '../client-port/cluster.map.js';
import type { NodeAddressMap } from '../redis-source/node-redis.source.js';
import { mapAddress } from './address.map.js';

/** How many slots a cluster has. */
const SLOTS = 16_384;

/** Which node has which slot, as one node reports it. */
export interface SlotTable {
  /** The master of each slot. */
  readonly slots: readonly (NodeKey | undefined)[];
  readonly masters: readonly NodeKey[];
  /** The replicas, too: one of them may be the next that can be asked. */
  readonly nodes: readonly NodeKey[];
}

/**
 * Reads the reply of CLUSTER SLOTS, in which anything may be missing.
 * @param host of the node that was asked: it may not know its own address
 */
export function readSlots(reply: unknown, host: string, map: NodeAddressMap | undefined): SlotTable {
  const slots: (NodeKey | undefined)[] = Array.from({ length: SLOTS });
  const masters = new Set<NodeKey>();
  const nodes = new Set<NodeKey>();
  for (const entry of listOf(reply)) {
    const [first, last, ...servers] = listOf(entry);
    const keys = servers.flatMap((server) => keyOf(server, host, map) ?? []);
    for (const key of keys) nodes.add(key);
    const [master] = keys;
    if (master === undefined) continue;
    masters.add(master);
    slots.fill(master, Number(first), Number(last) + 1);
  }
  return { slots, masters: [...masters], nodes: [...nodes] };
}

function keyOf(server: unknown, ownHost: string, map: NodeAddressMap | undefined): NodeKey | undefined {
  const [given, port] = listOf(server);
  // A node that knows only its name, and may not report it.
  if (given === '?') return undefined;
  const host = given === null || given === undefined || given === '' ? ownHost : String(given);
  const mapped = mapAddress({ host, port: Number(port) }, map);
  return `${mapped.host}:${mapped.port}`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
