import { byGrant, callsByLock, type Hold } from './holds.js';
import { covered, length, without, type Disturbances, type Span } from './spans.js';
import { LATE, marginOf, ms, MS, type Finding, type Violation } from './violation.js';

/** Two, or one too many, believed in one lock at the same time. */
export interface Overlap {
  readonly lock: string;
  readonly former: Hold;
  readonly latter: Hold;
  readonly span: Span;
  /** How long it may last after a loss of data, in µs. */
  readonly bound: number;
  /** How long it lasted, in µs, without the time in which one of the two was stopped. */
  readonly lasted: number;
  /** Whether it should have ended with a renewal, and not with a look at a fixed lease. */
  readonly isRenewed: boolean;
}

/**
 * I1. Nobody believes in a lock that somebody else believes in; readers share, semaphores have room. Where the store lost data
 * the former holder may go on until its lease is renewed, or looked at, the next time.
 */
export function checkExclusion(
  holds: readonly Hold[],
  disturbances: Disturbances,
): Finding & { readonly overlaps: readonly Overlap[] } {
  const violations: Violation[] = [];
  const overlaps: Overlap[] = [];
  let judged = 0;
  for (const [lock, inLock] of callsByLock(holds)) {
    for (const clash of clashes(byGrant(inLock))) {
      const overlap = measure(lock, clash, disturbances);
      const { former, latter, span, lasted, bound } = overlap;
      const since = Math.min(...[...clash.believers, latter].map(({ granted }) => granted.sent));
      const isExcused = disturbances.isLossy({ from: since, to: span.from });
      // Nobody counts who has permits of a plain semaphore: once it was lost, it never knows again.
      if (former.sort === 'semaphore' && disturbances.isLossy({ from: 0, to: span.from })) continue;
      overlaps.push(overlap);
      if (isExcused && lasted <= bound) continue;
      const what = `${latter.id} was granted ${lock} (${latter.sort}) while ${former.id} (${former.sort}) believed in it, for ${ms(span.to - span.from)}`;
      violations.push({
        invariant: 'I1',
        what: isExcused ? `${what}; ${ms(bound)} are allowed after a loss of data` : what,
        at: span.from,
        calls: [former.id, latter.id],
      });
    }
    judged += inLock.length;
  }
  return { violations, overlaps, judged: { 'grants looked at for exclusion': judged } };
}

interface Clash {
  readonly former: Hold;
  readonly latter: Hold;
  /** All who believed before; one of them should not have. */
  readonly believers: readonly Hold[];
  readonly to: number;
}

/** Goes through the grants of one lock in their order, with all who believe at that instant. */
function clashes(holds: readonly Hold[]): Clash[] {
  const found: Clash[] = [];
  let believers: Hold[] = [];
  for (const latter of holds) {
    believers = believers.filter(({ until }) => until > latter.granted.at);
    const { room } = latter.wanted;
    if (latter.until <= latter.granted.at) continue;
    if (room === undefined) {
      for (const former of believers)
        if (!(former.sort === 'read' && latter.sort === 'read'))
          found.push({ former, latter, believers: [former], to: Math.min(former.until, latter.until) });
    } else {
      const crowd = overcrowd(believers, latter, room);
      if (crowd !== undefined) found.push(crowd);
    }
    believers.push(latter);
  }
  return found;
}

/** One too many is in there until enough of them have left. */
function overcrowd(believers: readonly Hold[], latter: Hold, room: number): Clash | undefined {
  const leaving = believers.toSorted((one, other) => one.until - other.until);
  let taken = leaving.reduce((sum, hold) => sum + placesOf(hold), placesOf(latter));
  let clash: Clash | undefined;
  for (const former of leaving) {
    if (taken <= room) break;
    clash = { former, latter, believers, to: Math.min(former.until, latter.until) };
    taken -= placesOf(former);
  }
  return clash;
}

function placesOf({ wanted }: Hold): number {
  return wanted.permits ?? 1;
}

function measure(lock: string, clash: Clash, disturbances: Disturbances): Overlap {
  const { former, latter, believers, to } = clash;
  const span = { from: latter.granted.at, to };
  const stops = [...disturbances.stopsOf(former.worker), ...disturbances.stopsOf(latter.worker)];
  const lasted = length(without(span, stops));
  // Of two that were on their way at the same time either may have been the first.
  const losers = latter.granted.sent < former.granted.at ? [...believers, latter] : believers;
  const bound = Math.max(...losers.map((loser) => boundOf(loser, span, disturbances)));
  const isRenewed = losers.every(({ lease }) => lease === 0);
  return { lock, former, latter, span, lasted, bound, isRenewed };
}

/** How long a holder may go on whose lock the store has forgotten, in µs: it asks at a third of the lease, or of the watchdog's. */
export function boundOf(
  { granted: { ttl }, watchdog }: Hold,
  span: Span,
  disturbances: Disturbances,
): number {
  const whole = ttl * MS;
  // Who cannot ask Redis learns nothing from it, and ends with the lease.
  const asking = (Math.min(ttl, watchdog) * MS) / 3 + covered(span, disturbances.silences);
  return Math.min(whole, asking) + marginOf(ttl) + LATE;
}
