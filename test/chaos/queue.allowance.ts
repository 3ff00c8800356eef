import type { LockSort } from './chaos.types.js';
import { isHold, type Call, type Hold } from './holds.js';
import type { Disturbances, Span } from './spans.js';
import { MS } from './violation.js';

/** What a dead waiter may cost in the other queues, in µs: its place, its turn after a release, or the intent to write that keeps readers out. */
const DEAD_WAITER: Partial<Record<LockSort, number>> = { fair: 3000 * MS, read: 2250 * MS };

/** The locks for which processes wait in a queue. */
const QUEUED: ReadonlySet<LockSort> = new Set(['reentrant', 'nonReentrant', 'fenced']);

/** What ends a state in which such a lock is free, by docs/contributing/queue-of-processes.md, in µs: a guard, and a check of a listener. */
const GUARD = 30 * MS;
const LISTENER = 3000 * MS;

/** How much later than in quiet times a waiter may get a free lock, in µs, because of other processes that were stopped, busy or killed. */
export function allowanceFor(
  waiter: Call,
  free: Span,
  others: readonly (Call | Hold)[],
  disturbances: Disturbances,
): number {
  if (!QUEUED.has(waiter.sort)) return DEAD_WAITER[waiter.sort] ?? 0;
  const missed = disturbances.missedIn(free);
  missed.delete(waiter.worker);
  const inTurn = missed.size * GUARD;
  const isGuarded = !missed.has(lastHolder(others, free) ?? waiter.worker);
  if (isGuarded || missed.size < 2) return inTurn;
  // With both listeners missed as well the waiter asks by itself.
  return inTurn + (missed.size === 2 ? LISTENER : Math.max(LISTENER, waiter.watchdog * MS));
}

/** The process that had the lock before it was free: it guards the turn of the next one. */
function lastHolder(others: readonly (Call | Hold)[], free: Span): number | undefined {
  return others
    .filter(isHold)
    .filter(({ granted }) => granted.at <= free.from)
    .toSorted((one, other) => one.granted.at - other.granted.at)
    .at(-1)?.worker;
}
