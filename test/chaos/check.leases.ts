import type { History } from './history.js';
import { byGrant, callsByLock, type Hold } from './holds.js';
import { covered, type Disturbances } from './spans.js';
import { LATE, marginOf, ms, MS, type Finding, type Violation } from './violation.js';

/**
 * I2. The signal aborts before the lease ends in Redis, unless the process or its event loop stood still; then `isHeld` is false at
 * the first instruction. Seen from outside: whoever believes is who Redis says has it.
 */
export function checkLeases(holds: readonly Hold[], history: History, disturbances: Disturbances): Finding {
  const violations = [...holds.flatMap((hold) => [...lateAborts(hold, disturbances), ...wrongLooks(hold)])];
  const sights = checkSights(holds, history, disturbances);
  const looks = holds.reduce((sum, { looked }) => sum + looked.length, 0);
  return {
    violations: [...violations, ...sights.violations],
    judged: { 'looks after a stall': looks, ...sights.judged },
  };
}

function lateAborts(hold: Hold, disturbances: Disturbances): Violation[] {
  const { ended, worker, id, granted, renewed } = hold;
  if (ended?.why !== 'aborted' || hold.deadline === Infinity) return [];
  // An answer that came late may say that less is left than was believed: by then that is past, and it is told at once.
  const deadline = Math.max(hold.deadline, renewed.at(-1)?.deadline ?? granted.deadline ?? 0);
  if (ended.at <= deadline) return [];
  const late = ended.at - deadline;
  const stood = covered({ from: deadline, to: ended.at }, disturbances.stallsOf(worker));
  if (late - stood <= marginOf(granted.ttl) + LATE) return [];
  const what = `the signal of ${id} was aborted ${ms(late)} after its deadline`;
  return [{ invariant: 'I2', what, at: ended.at, calls: [id] }];
}

function wrongLooks({ looked, id }: Hold): Violation[] {
  return looked.flatMap(({ at, isHeld, deadline, gap }): Violation[] => {
    if (!isHeld || at <= deadline + MS) return [];
    const what = `${id} believed to hold after a stall of ${ms(gap)}, ${ms(at - deadline)} after its deadline`;
    return [{ invariant: 'I2', what, at, calls: [id] }];
  });
}

function checkSights(holds: readonly Hold[], { watched }: History, disturbances: Disturbances): Finding {
  const believed = holds.filter(({ deadline, sort }) => deadline !== Infinity && sort !== 'red');
  const locks = new Map(
    [...callsByLock(believed)].map(([lock, inLock]) => [lock, new Believers(byGrant(inLock))]),
  );
  const violations: Violation[] = [];
  const told = new Set<Hold>();
  let sights = 0;
  for (const event of watched) {
    if (event.kind !== 'seen') continue;
    for (const hold of locks.get(event.lock)?.during(event.from, event.at) ?? []) {
      sights += 1;
      const ids = hold.granted.holder.split(' ');
      if (event.holders.some((holder) => ids.some((id) => holder.startsWith(id))) || told.has(hold)) continue;
      if (disturbances.isLossy({ from: hold.granted.sent, to: event.at })) continue;
      told.add(hold);
      const who = event.holders.join(', ') || 'nobody';
      const what = `${hold.id} believed in ${event.lock} as ${hold.granted.holder}, and Redis said that ${who} had it`;
      violations.push({ invariant: 'I2', what, at: event.at, calls: [hold.id] });
    }
  }
  return { violations, judged: { 'beliefs compared with Redis': sights } };
}

/** Who believes in one lock, as time goes on. */
class Believers {
  #next = 0;
  #open: Hold[] = [];

  constructor(private readonly holds: readonly Hold[]) {}

  /** Who believed all the time from one instant to the other; instants never go back. */
  during(from: number, to: number): readonly Hold[] {
    for (let hold = this.holds[this.#next]; hold !== undefined && hold.granted.at <= from;) {
      this.#open.push(hold);
      hold = this.holds[(this.#next += 1)];
    }
    this.#open = this.#open.filter(({ until }) => until >= from);
    return this.#open.filter(({ until }) => until >= to);
  }
}
