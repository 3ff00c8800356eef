import { isHold, type Call, type Hold } from './holds.js';
import { allowanceFor } from './queue.allowance.js';
import { covered, type Disturbances } from './spans.js';
import { LATE, ms, MS, type Finding, type Violation } from './violation.js';

/** What the invariant allows beside the lease, in µs. */
const AFTER_LEASE = 100 * MS;

/** I8. A lock whose holder died is granted again within its lease + 100 ms, when somebody waits and nothing else is wrong. */
export function checkSuccession(calls: readonly (Call | Hold)[], disturbances: Disturbances): Finding {
  const violations: Violation[] = [];
  let judged = 0;
  for (const dead of calls) {
    const { died, sort, locks } = dead;
    const isOfOne = locks.length === 1 && sort !== 'semaphore' && sort !== 'permit' && sort !== 'red';
    if (!isHold(dead) || died === undefined || !isOfOne) continue;
    const lease = dead.granted.ttl * MS;
    const others = calls.filter((call) => call !== dead && call.locks.includes(locks[0] ?? ''));
    // The dead process may have waited as well, and others may have died or stopped with it.
    const soonFor = (call: Call) => {
      const due = died + lease + AFTER_LEASE + LATE;
      return due + allowanceFor(call, { from: died, to: due }, [dead], disturbances);
    };
    const waiter = others.find((call) => waitsUntil(call, died + lease - LATE, soonFor(call)));
    if (waiter === undefined) continue;
    const soon = soonFor(waiter);
    // A waiter whose process stood still takes it when it goes on.
    const due = soon + covered({ from: died, to: soon }, disturbances.stallsOf(waiter.worker));
    if (!disturbances.isQuiet({ from: died, to: due }, ({ from, to }) => from <= died && to >= died))
      continue;
    const isSomebodyIn = others.some(
      (call) =>
        isHold(call) &&
        call.granted.at < due &&
        ((call.released?.at ?? call.until) > died || keepsUntil(call) > died + lease),
    );
    // A call for several locks keeps those that it has while it waits for the next one.
    const isPassedBy = others.some(
      (call) => call.locks.length > 1 && call.wanted.at < due && endOf(call) > died + lease - LATE,
    );
    if (!isPassedBy) judged += 1;
    if (isSomebodyIn || isPassedBy || !waitsUntil(waiter, died + lease - LATE, due)) continue;
    const what = `nobody was granted ${locks[0] ?? ''} for ${ms(due - died)} after the death of its holder ${dead.id}, though ${waiter.id} waited for it`;
    violations.push({ invariant: 'I8', what, at: due, calls: [dead.id, waiter.id] });
  }
  return { violations, judged: { 'locks of dead holders': judged } };
}

/** How long a dead holder may keep others out: a process may have died with several holds of one lock. The last one is judged. */
function keepsUntil({ died, granted }: Hold): number {
  return died === undefined ? 0 : died + granted.ttl * MS;
}

/** A call that was granted in time counts, too: it is why all is well. */
function waitsUntil(call: Call | Hold, from: number, to: number): boolean {
  if (call.wanted.at > from || call.wanted.wait === 0 || call.locks.length > 1) return false;
  const end = endOf(call);
  return end >= from && (isHold(call) || end >= to);
}

/** When it had waited enough. */
function endOf({ granted, refused, died }: Call | Hold): number {
  return granted?.at ?? refused?.at ?? died ?? Infinity;
}
