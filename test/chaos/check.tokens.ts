import type { Hold } from './holds.js';
import type { Disturbances } from './spans.js';
import type { Finding, Violation } from './violation.js';

/** The fault that steps the clock of the store. */
export const STORE_CLOCK = 'clock of redis stepped';

/** A token, and the span in which Redis gave it. */
interface Given {
  readonly call: string;
  readonly token: bigint;
  readonly sent: number;
  readonly received: number;
}

/**
 * I3. Tokens rise in the order of grants, re-entries included. Two grants have an order when one was received before the other
 * was sent. After a loss of data only a store's clock that had been ahead of itself excuses it.
 */
export function checkTokens(holds: readonly Hold[], disturbances: Disturbances): Finding {
  const violations: Violation[] = [];
  let judged = 0;
  for (const [lock, given] of tokensByLock(holds)) {
    const received = given.toSorted((one, other) => one.received - other.received);
    const sent = given.toSorted((one, other) => one.sent - other.sent);
    judged += given.length;
    let highest: Given | undefined;
    let next = 0;
    for (const later of sent) {
      for (let earlier = received[next]; earlier !== undefined && earlier.received < later.sent;) {
        if (highest === undefined || earlier.token > highest.token) highest = earlier;
        earlier = received[(next += 1)];
      }
      if (highest === undefined || later.token > highest.token) continue;
      if (isExcused(highest, later, disturbances)) {
        // Tokens are counted anew from here. Others that are on their way by now may have been given before this one.
        highest = undefined;
        continue;
      }
      violations.push({
        invariant: 'I3',
        what: `${lock}: token ${later.token} of ${later.call} is not above ${highest.token} of ${highest.call}, which was granted before`,
        at: later.received,
        calls: [highest.call, later.call],
      });
    }
  }
  return { violations, judged: { tokens: judged } };
}

function tokensByLock(holds: readonly Hold[]): Map<string, Given[]> {
  const locks = new Map<string, Given[]>();
  for (const {
    id,
    sort,
    locks: [lock = ''],
    granted,
    reentered,
  } of holds) {
    if (sort !== 'fenced') continue;
    const given = locks.get(lock) ?? [];
    locks.set(lock, given);
    for (const { token, sent, at } of [granted, ...reentered])
      if (token !== undefined) given.push({ call: id, token: BigInt(token), sent, received: at });
  }
  return locks;
}

/** Data was lost between the two, and some time before the store's clock had been stepped. */
function isExcused(earlier: Given, later: Given, { faults }: Disturbances): boolean {
  const isLost = faults.some(
    ({ lossy, name, from, to }) =>
      lossy && name !== STORE_CLOCK && from < later.received && to > earlier.sent,
  );
  return isLost && faults.some(({ name, from }) => name === STORE_CLOCK && from < later.received);
}
