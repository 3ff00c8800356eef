import { byGrant, callsByLock, isHold, type Call, type Hold } from './holds.js';
import { covered, type Disturbances } from './spans.js';
import { LATE, marginOf, ms, MS, type Finding, type Violation } from './violation.js';

/** So long may a dead waiter stand in the way of the others, in µs. */
const DEAD_WAITER = 3000 * MS;

/** Faults that no other process and no queue suffers from. */
const OF_WORKERS = /^worker (?:killed|stopped)|^event loop/;

/** A process that is silent for so long may lose its place, in µs. */
const LOSES_PLACE = 1500 * MS;

/**
 * I7. A fair lock is granted in the order of arrival; of two that came at about the same time nobody knows it. Judged where nothing
 * disturbed them: who cannot reach Redis for 3 s has lost its place. A dead waiter delays the others by 3 s at most.
 */
export function checkOrder(calls: readonly (Call | Hold)[], disturbances: Disturbances): Finding {
  const violations: Violation[] = [];
  let pairs = 0;
  for (const [lock, inLock] of callsByLock(calls.filter(({ sort }) => sort === 'fair'))) {
    const judged = overtakers(lock, inLock, disturbances);
    pairs += judged.pairs;
    violations.push(...judged.violations, ...delays(lock, inLock, disturbances));
  }
  return { violations, judged: { 'pairs of fair waiters': pairs } };
}

function overtakers(
  lock: string,
  calls: readonly (Call | Hold)[],
  disturbances: Disturbances,
): { readonly pairs: number; readonly violations: readonly Violation[] } {
  const violations: Violation[] = [];
  let pairs = 0;
  const queue = calls.toSorted((one, other) => one.wanted.at - other.wanted.at);
  for (const [place, later] of queue.entries()) {
    if (!isHold(later) || later.wanted.wait === 0) continue;
    for (const earlier of queue.slice(Math.max(0, place - 64), place)) {
      if (earlier.wanted.wait === 0 || later.wanted.at - earlier.wanted.at < LATE) continue;
      const waited = earlier.granted?.at ?? earlier.refused?.at ?? earlier.died ?? Infinity;
      if (waited <= later.wanted.at) continue;
      const span = { from: earlier.wanted.at, to: later.granted.at };
      if (!disturbances.isQuiet(span, ({ name }) => OF_WORKERS.test(name))) continue;
      // A process that stands still cannot take its place in the queue, and loses it after a while.
      const stalls = disturbances.stallsOf(earlier.worker);
      const ahead = { from: earlier.wanted.at, to: later.wanted.at };
      if (ahead.to - ahead.from - covered(ahead, stalls) < LATE || covered(span, stalls) > LOSES_PLACE)
        continue;
      pairs += 1;
      const since = isHold(earlier) ? earlier.granted.sent : waited;
      if (later.granted.at >= since) continue;
      const what = `${lock}: ${later.id} was granted before ${earlier.id}, which had come ${ms(later.wanted.at - earlier.wanted.at)} earlier`;
      violations.push({ invariant: 'I7', what, at: later.granted.at, calls: [earlier.id, later.id] });
    }
  }
  return { pairs, violations };
}

/** Deaths are what is judged here, other faults excuse. */
function delays(lock: string, calls: readonly (Call | Hold)[], disturbances: Disturbances): Violation[] {
  const holds = byGrant(calls.filter(isHold));
  return holds.flatMap((hold, index): Violation[] => {
    const before = holds[index - 1];
    if (before === undefined) return [];
    const free = before.released?.at ?? before.deadline + marginOf(before.granted.ttl);
    const span = { from: Math.max(free, hold.wanted.at), to: hold.granted.at };
    const waited = span.to - span.from - covered(span, disturbances.stallsOf(hold.worker));
    if (waited <= DEAD_WAITER + 2 * LATE) return [];
    if (!disturbances.isQuiet(span, ({ name }) => name === 'worker killed')) return [];
    const what = `${lock}: ${hold.id} waited for ${ms(waited)} while nobody had it`;
    return [{ invariant: 'I7', what, at: hold.granted.at, calls: [before.id, hold.id] }];
  });
}
