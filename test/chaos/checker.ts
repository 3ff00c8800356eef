import type { ChaosMode } from './chaos.types.js';
import { checkExclusion, type Overlap } from './check.exclusion.js';
import { checkFree, type FreeAndWanted } from './check.free.js';
import { checkLeases } from './check.leases.js';
import { checkLeftovers } from './check.leftovers.js';
import { checkOrder } from './check.order.js';
import { checkReleases } from './check.releases.js';
import { checkSuccession } from './check.succession.js';
import { checkTokens } from './check.tokens.js';
import type { History } from './history.js';
import { isHold, readCalls, type Call, type Hold } from './holds.js';
import { Disturbances } from './spans.js';
import type { Violation } from './violation.js';

/** What a history says about the invariants. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly overlaps: readonly Overlap[];
  /** Locks that were free while a live instance waited for them, as seen from outside. */
  readonly free: FreeAndWanted;
  /** How much each check has looked at. */
  readonly judged: Readonly<Record<string, number>>;
  readonly calls: readonly (Call | Hold)[];
}

/** Holds a history against I1–I5 and I7–I9; I6 is about ticks, which have tests of their own. */
export function check(history: History, mode: ChaosMode): Verdict {
  const disturbances = new Disturbances(history);
  const calls = readCalls(history);
  const holds = calls.filter(isHold);
  const exclusion = checkExclusion(holds, disturbances);
  const free = checkFree(calls, history, disturbances);
  const findings = [
    exclusion,
    checkLeases(holds, history, disturbances),
    checkTokens(holds, disturbances),
    checkReleases(calls, history, mode, disturbances),
    checkLeftovers(history),
    checkOrder(calls, disturbances),
    checkSuccession(calls, disturbances),
    free,
  ];
  return {
    violations: findings.flatMap(({ violations }) => violations),
    overlaps: exclusion.overlaps,
    free: free.free,
    judged: Object.assign({}, ...findings.map(({ judged }) => judged)) as Record<string, number>,
    calls,
  };
}
