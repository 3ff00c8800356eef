import type { InstanceLock } from '../contracts/fleet.contract.js';
import type { LockKindName } from '../events/lock.event.types.js';
import type { InstanceFacts } from '../instances/instance.registry.js';
import type { ServiceParts } from './service.parts.js';

/** The holds of one kind in this process, and its waiting callers. */
export interface InventoryEntry {
  readonly kind: LockKindName;
  readonly held: number;
  readonly waiting: number;
}

/**
 * Counts the holds and the waiting callers of this process, at this moment. Re-entries count once, a multi lock as its members, a red lock as
 * one. Permits of a plain semaphore have no holder.
 */
export function takeInventory({ engine, red }: Pick<ServiceParts, 'engine' | 'red'>): InventoryEntry[] {
  const rows = new Map<LockKindName, { held: number; waiting: number }>();
  const add = (kind: LockKindName, held: number, waiting: number) => {
    const row = rows.get(kind) ?? { held: 0, waiting: 0 };
    rows.set(kind, { held: row.held + held, waiting: row.waiting + waiting });
  };
  for (const { holds, target, existingWaiters } of engine.localLocks.values()) {
    for (const { kind } of holds) add(kind, 1, 0);
    add(target.kind.id, 0, existingWaiters?.size ?? 0);
  }
  for (const { waiters } of engine.counters.semaphores.values()) add('semaphore', 0, waiters.size);
  if (red !== undefined) {
    // A server that is away lacks some of them.
    const held = red.servers.map((server) =>
      sum(server.engine.localLocks.values().map(({ holds }) => holds.length)),
    );
    add('red', Math.max(0, ...held), red.waiters);
  }
  return [...rows].map(([kind, row]) => ({ kind, ...row }));
}

/** What a module instance reports of itself. */
export function factsOf(
  parts: Pick<ServiceParts, 'engine' | 'red' | 'ticks'>,
): Omit<InstanceFacts, 'elections'> {
  const inventory = takeInventory(parts);
  return {
    held: sum(inventory.map(({ held }) => held)),
    waiting: sum(inventory.map(({ waiting }) => waiting)),
    jobs: parts.ticks.jobs.own,
    locks: unseenLocks(parts),
  };
}

/** What Redis does not show of the locks of this process: waiting callers, and the holders of permits. */
function unseenLocks({ engine }: Pick<ServiceParts, 'engine'>): InstanceLock[] {
  const { isMapped } = engine.context.settings;
  // Where names are mapped, other processes know keys alone.
  const nameOf = ({ name, key }: { readonly name: string; readonly key: string }) => (isMapped ? key : name);
  const rows = new Map<string, InstanceLock>();
  const add = (name: string, permits: number, waiting: number) => {
    if (permits + waiting === 0) return;
    const row = rows.get(name) ?? { name, permits: 0, waiting: 0 };
    rows.set(name, { name, permits: row.permits + permits, waiting: row.waiting + waiting });
  };
  for (const { holds, target, existingWaiters } of engine.localLocks.values())
    add(nameOf(target), target.kind.id === 'permit' ? holds.length : 0, existingWaiters?.size ?? 0);
  const { semaphores, latches } = engine.counters;
  for (const { target, waiters } of [...semaphores.values(), ...latches.values()])
    add(nameOf(target), 0, waiters.size);
  return [...rows.values()];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
