import type { History } from './history.js';
import { callsByLock, isHold, type Call, type Hold } from './holds.js';
import { allowanceFor, type FreeSpan } from './queue.allowance.js';
import { covered, type Disturbances, type Span } from './spans.js';
import { LATE, ms, MS, type Finding, type Violation } from './violation.js';

/** How long a lock may be free while a live instance waits for it, in µs. */
const BOUND = 100 * MS;

/** Faults that do nothing to a waiter in another process; the time for which its own process stood still does not count. */
const ELSEWHERE = new Set(['worker killed', 'worker stopped', 'event loop blocked']);

/** How often a lock was free and wanted, and for how long at most, in µs. */
export interface FreeAndWanted {
  readonly count: number;
  readonly longest: number;
}

/** I8, seen from outside: no lock is free for longer than 100 ms while a live instance waits for it and nothing else is wrong. */
export function checkFree(
  calls: readonly (Call | Hold)[],
  history: History,
  disturbances: Disturbances,
): Finding & { readonly free: FreeAndWanted } {
  const violations: Violation[] = [];
  let count = 0;
  let longest = 0;
  const holds = callsByLock(calls.filter(isHold));
  const spans = freeSpans(holds, history);
  for (const [lock, waiters] of callsByLock(calls.filter(isWaiting))) {
    for (const free of spans.get(lock) ?? []) {
      const wanted = waiters
        .map((waiter) => ({ waiter, lasted: wantedFor(waiter, free, disturbances) }))
        .toSorted((one, other) => other.lasted - one.lasted)[0];
      if (wanted === undefined || wanted.lasted <= 0) continue;
      count += 1;
      const { waiter, lasted } = wanted;
      const beyond = lasted - allowanceFor(waiter, free, holds.get(lock) ?? [], disturbances);
      longest = Math.max(longest, beyond);
      if (beyond <= BOUND + LATE) continue;
      const what = `${lock} was free for ${ms(lasted)} while ${waiter.id} waited for it`;
      violations.push({ invariant: 'I8', what, at: free.to, calls: [waiter.id] });
    }
  }
  return {
    violations,
    judged: { 'free and wanted': count },
    free: { count, longest },
  };
}

/** A call for several locks waits for one after the other. */
function isWaiting({ wanted, locks }: Call): boolean {
  return wanted.wait > 0 && locks.length === 1;
}

/** From one look that found nobody to the last one after it, where nobody was granted the lock, or released it, in between. */
function freeSpans(
  byLock: ReadonlyMap<string, readonly Hold[]>,
  { watched }: History,
): Map<string, FreeSpan[]> {
  const changes = new Map([...byLock].map(([lock, holds]) => [lock, changesOf(holds)]));
  const spans = new Map<string, FreeSpan[]>();
  const open = new Map<string, FreeSpan>();
  const held = new Map<string, FreeSpan['before']>();
  const close = (lock: string) => {
    const span = open.get(lock);
    if (span !== undefined && span.to > span.from) spans.set(lock, [...(spans.get(lock) ?? []), span]);
    open.delete(lock);
  };
  for (const event of watched) {
    if (event.kind !== 'seen') continue;
    const { lock, from, at, holders } = event;
    const span = open.get(lock);
    const isNew = span === undefined || hasChange(changes.get(lock) ?? [], { from: span.to, to: at });
    if (holders.length > 0 || isNew) close(lock);
    if (holders.length > 0) held.set(lock, { at, holders });
    else if (span === undefined || isNew) open.set(lock, { from: at, to: at, before: held.get(lock) });
    else open.set(lock, { ...span, to: from });
  }
  for (const lock of [...open.keys()]) close(lock);
  return spans;
}

/** Instants at which somebody was granted a lock, or let go of it, in their order. */
function changesOf(holds: readonly Hold[]): number[] {
  return holds
    .flatMap(({ granted, ended, released }) => [granted.at, ended?.at ?? 0, released?.at ?? 0])
    .filter((at) => at > 0)
    .toSorted((one, other) => one - other);
}

function hasChange(changes: readonly number[], { from, to }: Span): boolean {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return (changes[low] ?? Infinity) <= to;
}

/** For how long a live process waited for a lock that was free, in µs; 0 where something else was wrong. */
function wantedFor(waiter: Call | Hold, free: Span, disturbances: Disturbances): number {
  const { wanted, granted, refused, died } = waiter;
  const end = granted?.at ?? refused?.at ?? died ?? Infinity;
  const span = { from: Math.max(free.from, wanted.at), to: Math.min(free.to, end) };
  if (span.to <= span.from) return 0;
  if (!disturbances.isQuiet(span, ({ name }) => ELSEWHERE.has(name))) return 0;
  return span.to - span.from - covered(span, disturbances.stallsOf(waiter.worker));
}
