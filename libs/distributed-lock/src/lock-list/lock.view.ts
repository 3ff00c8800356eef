/** The kinds of lock that a name can have in Redis. */
export type ViewKind =
  | 'lock'
  | 'fenced lock'
  | 'fair lock'
  | 'lock of a job'
  | 'read lock'
  | 'write lock'
  | 'semaphore'
  | 'semaphore or latch'
  | 'free'
  | 'something else';

/** A holder of a lock, and its hold count. */
export interface HolderView {
  /** `<client uuid>:<integer>`. */
  readonly holder: string;
  readonly count: number;
  /** Its instance, as `<app> on <host>:<pid>`; undefined where it is unknown. */
  readonly instance?: string | undefined;
}

/** A name and its state in Redis. */
export interface LockView {
  readonly name: string;
  readonly key: string;
  readonly kind: ViewKind;
  readonly holders: readonly HolderView[];
  /** Of a semaphore or a latch: its available permits, or its count. */
  readonly left?: number | undefined;
  /** Of the lease, in ms; -1 without one, -2 for a lock that is free. */
  readonly ttl: number;
  /** The waiting holders of a fair lock, the next one first; of a lock that is not fair none. */
  readonly queue: readonly string[];
  /** How many waiters the queue has in all. */
  readonly waiting: number;
  /** The processes that have a place in the queue of a plain lock, by their holder ids, or of a semaphore, by their clients; the next one first. */
  readonly places: readonly string[];
  /** The processes that wait: those with a place, and the other connections that are subscribed to its releases; undefined where the user may not read that. */
  readonly listeners: number | undefined;
}

/** `1.2 s` and the like. */
export function showTime(ms: number): string {
  if (ms === -1) return 'no lease';
  if (ms < 0) return '-';
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
