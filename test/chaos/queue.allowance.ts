import type { LockSort } from './chaos.types.js';
import { byGrant, type Call, type Hold } from './holds.js';
import type { Disturbances, Span } from './spans.js';
import { MS } from './violation.js';

/** A time in which a lock was free, and who had it when it was last seen held. */
export interface FreeSpan extends Span {
  readonly before?: { readonly at: number; readonly holders: readonly string[] } | undefined;
}

/**
 * Where processes wait in a queue; else what a dead waiter may cost, in µs: its place, its turn after a release, or the intent to write that
 * keeps readers out.
 */
const WAIT_BY: Readonly<Record<LockSort, 'queue' | number>> = {
  reentrant: 'queue',
  nonReentrant: 'queue',
  fenced: 'queue',
  // A multi lock of one name waits as that lock does, which is re-entrant.
  multi: 'queue',
  write: 'queue',
  permit: 'queue',
  semaphore: 'queue',
  spin: 0,
  red: 0,
  fair: 3000 * MS,
  read: 2250 * MS,
};

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
  const waits = WAIT_BY[waiter.sort];
  if (waits !== 'queue') return waits;
  const missed = disturbances.missedIn(free);
  // A waiter that begins while the queue still counts on a dead listener does so for a period of its own.
  const begun = waiter.wanted.at;
  if (free.from - begun < LISTENER)
    for (const worker of disturbances.missedIn({ from: begun, to: begun })) missed.add(worker);
  missed.delete(waiter.worker);
  const inTurn = missed.size * GUARD;
  const last = byGrant(holds.filter(({ granted }) => granted.at <= free.from)).at(-1);
  // Permits end in another order than they were granted.
  const isReleased =
    waiter.sort !== 'permit' && last?.released?.outcome === 'released' && !isTaken(free, last);
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
