import type { ChaosMode, LockSort } from './chaos.types.js';
import type { History } from './history.js';
import { byGrant, callsByLock, isHold, type Call, type Hold } from './holds.js';
import type { Disturbances } from './spans.js';
import { marginOf, ms, MS, type Finding, type Violation } from './violation.js';

/** What only one can have, once for all. */
const ALONE = new Set<LockSort>(['reentrant', 'nonReentrant', 'fair', 'fenced', 'spin', 'write']);

/** Whose holder id goes on to the next waiter of the process, without a word to Redis. */
const SHARES_HOLDER = new Set<LockSort>(['reentrant', 'nonReentrant', 'spin', 'multi']);

/**
 * I4. Nobody loses a lock in the middle of its lease, unless the store lost it: then somebody else's release has removed it. Nobody
 * has a lock in Redis after its release, and no renewal succeeds that was sent after somebody else was granted the lock.
 */
export function checkReleases(
  calls: readonly (Call | Hold)[],
  history: History,
  mode: ChaosMode,
  disturbances: Disturbances,
): Finding {
  const holds = calls.filter(isHold);
  const violations = holds.flatMap((hold) => robbed(hold, disturbances));
  const returned = mode === 'strict' ? returns(calls, history) : [];
  return {
    violations: [...violations, ...returned, ...revivals(holds, disturbances)],
    judged: { releases: holds.filter(({ released }) => released !== undefined).length },
  };
}

/** Redis said that the holder had nothing while its lease was alive by its own count. */
function robbed(hold: Hold, disturbances: Disturbances): Violation[] {
  const { ended, released, deadline, granted, id, locks } = hold;
  if (ended === undefined || deadline === Infinity) return [];
  const heard = ended.why === 'unlock' ? (released?.outcome === 'lost' ? released.at : undefined) : ended.at;
  if (heard === undefined || heard >= deadline) return [];
  if (disturbances.isLossy({ from: granted.sent, to: heard })) return [];
  const left = ms(deadline - heard);
  const what = `${id} lost ${locks.join(' and ')} with ${left} of its lease left, by nobody's doing: ${ended.reason ?? ended.why}`;
  return [{ invariant: 'I4', what, at: heard, calls: [id] }];
}

/** Only one at a time can have such a lock: who has lost it to somebody else has nothing left to renew. */
function revivals(holds: readonly Hold[], disturbances: Disturbances): Violation[] {
  const alone = holds.filter(({ sort, locks }) => ALONE.has(sort) && locks.length === 1);
  return [...callsByLock(alone)].flatMap(([lock, inLock]) => {
    const queue = byGrant(inLock);
    return queue.flatMap((former, place): Violation[] => {
      if (former.lease !== 0) return [];
      const latter = queue
        .slice(place + 1)
        .find(({ worker, granted }) => worker !== former.worker && granted.sent > former.granted.at);
      if (latter === undefined) return [];
      const { ttl } = former.granted;
      const taken = latter.granted.at;
      const revived = former.renewed.find(({ at, deadline }) => {
        const sent = deadline + marginOf(ttl) - ttl * MS;
        // After a step of the store's clock more may be left than was asked for: then it says nothing.
        return sent <= at && sent > taken;
      });
      if (revived === undefined || disturbances.isRolledBack({ from: taken, to: revived.at })) return [];
      const what = `${former.id} renewed ${lock} ${ms(revived.at - taken)} after ${latter.id} had been granted it`;
      return [{ invariant: 'I4', what, at: revived.at, calls: [former.id, latter.id] }];
    });
  });
}

/** A holder id goes on to the next hold of the same process; after the last one's release it must be gone. */
function returns(calls: readonly (Call | Hold)[], { watched }: History): Violation[] {
  const holds = calls.filter(isHold);
  const byLock = callsByLock(calls);
  const last = new Map<string, { readonly call: Call; readonly at: number }>();
  for (const hold of holds) {
    const { sort, granted, released, died } = hold;
    if (sort === 'semaphore' || sort === 'red') continue;
    const over = released?.outcome === 'released' ? released.at : died === undefined ? undefined : Infinity;
    for (const lock of hold.locks)
      for (const holder of granted.holder.split(' ')) {
        const key = `${lock} ${holder}`;
        const before = last.get(key);
        // Who was not answered goes on releasing in the background.
        const at = Math.max(over ?? Infinity, before?.at ?? 0);
        last.set(key, { call: hold, at });
      }
  }
  const violations: Violation[] = [];
  for (const event of watched) {
    if (event.kind !== 'seen') continue;
    for (const holder of event.holders) {
      const key = `${event.lock} ${holder.replace(/:write$/, '')}`;
      const found = last.get(key);
      if (found === undefined || found.at >= event.from) continue;
      last.delete(key);
      const isHandedOn =
        byLock.get(event.lock)?.some((call) => mayInherit(call, found.call, found.at)) === true;
      if (isHandedOn) continue;
      const what = `${holder} had ${event.lock} again in Redis, ${ms(event.from - found.at)} after its release`;
      violations.push({ invariant: 'I4', what, at: event.at, calls: [found.call.id] });
    }
  }
  return violations;
}

/** Whether the holder id may have gone on to a call of the same process that left before it was told of its grant. */
function mayInherit(call: Call | Hold, former: Call, released: number): boolean {
  const end = call.granted?.at ?? call.refused?.at ?? Infinity;
  return (
    call.worker === former.worker &&
    call.life === former.life &&
    SHARES_HOLDER.has(call.sort) &&
    call.wanted.at <= released &&
    end >= (former.ended?.at ?? released)
  );
}
