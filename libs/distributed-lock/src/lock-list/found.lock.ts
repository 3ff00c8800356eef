import type { FoundHolder, FoundKind, FoundLock, LockInstance } from '../contracts/fleet.contract.js';
import { instanceOfHolder } from '../core/instance.names.js';
import type { LockView } from './lock.view.js';

/** The most waiters of a lock. */
const MOST = 100;

const KINDS: ReadonlySet<string> = new Set<FoundKind>([
  ...(['lock', 'fenced lock', 'fair lock', 'lock of a job'] as const),
  ...(['read lock', 'write lock', 'semaphore', 'semaphore or latch'] as const),
]);

/** A view of what is a lock, a semaphore or a latch, and is there. */
export type ListedLock = LockView & { readonly kind: FoundKind };

/** Whether it is a lock, a semaphore or a latch, and is there. */
export function isListed(view: LockView): view is ListedLock {
  return KINDS.has(view.kind);
}

/** Puts together what Redis has of a lock, and what the instances have reported of it. */
export function foundLock(view: ListedLock, instances: readonly LockInstance[]): FoundLock {
  const { name, key, kind, left, ttl } = view;
  const instanceOf = (holder: string) => instanceOfHolder(holder, instances);
  const holders = view.holders.map(({ holder, count }) => ({ holder, count, instance: instanceOf(holder) }));
  const reports = instances.flatMap((instance) =>
    instance.locks.filter((lock) => lock.name === name).map((lock) => ({ ...lock, instance })),
  );
  const callers = reported(reports, 'waiting');
  const queued = view.queue.map((holder) => ({ holder, count: 1, instance: instanceOf(holder) }));
  // A process has one place in the queue of a plain lock or a semaphore, for all of its callers.
  const places = view.places.map((holder) => {
    const instance = instanceOf(holder);
    const count = callers.find((report) => report.instance === instance)?.count ?? 1;
    return { holder, count: instance === undefined ? 1 : count, instance };
  });
  return {
    name,
    key,
    kind,
    holders: [...holders, ...reported(reports, 'permits')],
    left,
    ttl,
    waiters: merged([...queued, ...places], callers).slice(0, MOST),
    waiting: kind === 'fair lock' ? view.waiting : view.listeners,
  };
}

type Report = LockInstance['locks'][number] & { readonly instance: LockInstance };

function reported(reports: readonly Report[], what: 'permits' | 'waiting'): FoundHolder[] {
  return reports
    .filter((report) => report[what] > 0)
    .map((report) => ({ holder: report.instance.id, count: report[what], instance: report.instance }));
}

/** A process that is in a queue of Redis is not there a second time. */
function merged(queue: readonly FoundHolder[], reports: readonly FoundHolder[]): FoundHolder[] {
  const isQueued = (report: FoundHolder) => queue.some(({ instance }) => instance === report.instance);
  return [...queue, ...reports.filter((report) => !isQueued(report))];
}
