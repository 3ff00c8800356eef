import type { History } from './history.js';
import type { Finding, Violation } from './violation.js';

/** What stands beside a lock for those who wait or ask, and not for who holds it. */
const OF_WAITERS =
  /redisson_lock_(?:queue|timeout):|:(?:fair_waits|fair_alive|write_intent)$|:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:\d+$/;

/** I5 and I9. When nobody holds or waits any more nothing is left: no key, no subscription, no timer; and the processes end. */
export function checkLeftovers({ watched, told }: History): Finding {
  const violations = watched.flatMap((event): Violation[] => {
    if (event.kind !== 'left') return [];
    const isOfWaiters = event.what === 'channel' || (event.what === 'key' && OF_WAITERS.test(event.name));
    const what = `left behind: ${event.what} ${event.name}`;
    return [{ invariant: isOfWaiters ? 'I5' : 'I9', what, at: event.at, calls: [] }];
  });
  const inside = told.flatMap((event): Violation[] => {
    if (event.kind !== 'idle') return [];
    return Object.entries(event.left).flatMap(([name, count]): Violation[] =>
      count === 0
        ? []
        : [{ invariant: 'I9', what: `${count} ${name} in worker ${event.worker}`, at: event.at, calls: [] }],
    );
  });
  const ends = told.filter(({ kind }) => kind === 'idle').length;
  return { violations: [...violations, ...inside], judged: { 'workers looked into at the end': ends } };
}
