import type { LockSort } from './chaos.types.js';
import { byGrant, type Call, type Hold } from './holds.js';
import type { Disturbances, Span } from './spans.js';
import { MS } from './violation.js';

/** A time in which a lock was free, and who had it when it was last seen held. */
export interface FreeSpan extends Span {
  readonly before?: { readonly at: number; readonly holders: readonly string[] } | undefined;
}

/** What a dead waiter may cost in the other queues, in µs: its place, its turn after a release, or the intent to write that keeps readers out. */
const DEAD_WAITER: Partial<Record<LockSort, number>> = { fair: 3000 * MS, read: 2250 * MS };

/** The locks for which processes wait in a queue. */
const QUEUED: ReadonlySet<LockSort> = new Set(['reentrant', 'nonReentrant', 'fenced', 'write']);

/** What ends a state in which such a lock is free, by docs/contributing/queue-of-processes.md, in µs: a guard, and a check of a listener. */
const GUARD = 30 * MS;
const LISTENER = 3000 * MS;

/**
 * How much later than in quiet times a waiter may get a free lock, in µs, because of other processes that were stopped, busy or killed.
 * @param holds of that lock
 */
export function allowanceFor(
  waiter: Call,
  free: FreeSpan,
  holds: readonly Hold[],
  disturbances: Disturbances,
): number {
  if (!QUEUED.has(waiter.sort)) return DEAD_WAITER[waiter.sort] ?? 0;
  const missed = disturbances.missedIn(free);
  // A waiter that begins while the queue still counts on a dead listener does so for a period of its own.
  const begun = waiter.wanted.at;
  if (free.from - begun < LISTENER)
    for (const worker of disturbances.missedIn({ from: begun, to: begun })) missed.add(worker);
  missed.delete(waiter.worker);
  const inTurn = missed.size * GUARD;
  const last = byGrant(holds.filter(({ granted }) => granted.at <= free.from)).at(-1);
  const isReleased = last?.released?.outcome === 'released' && !isTaken(free, last);
  // The process that has released the lock guards the turn of the next one. Where the lease has ended, the two listeners do.
  if (missed.size < 2 || (isReleased && !missed.has(last.worker))) return inTurn;
  const canListenerCheck = isReleased && missed.size === 2;
  return inTurn + (canListenerCheck ? LISTENER : Math.max(LISTENER, waiter.watchdog * MS));
}

/**
 * Whether another one was seen with the lock after that hold's release: its grant was not told. A call for several locks tells of all at once,
 * and may have lost one while it waited for the next.
 */
function isTaken({ before }: FreeSpan, { granted, released }: Hold): boolean {
  if (before === undefined || before.at < (released?.at ?? Infinity)) return false;
  const own = granted.holder.split(' ');
  return before.holders.some((holder) => !own.includes(holder));
}
