/** A job of an instance. */
export interface InstanceJob {
  /** The key of the job. */
  readonly job: string;
  /** Whether the scheduler of the instance runs the job. A pause does not change it. */
  readonly isOn: boolean;
}

/** One module instance in one process, as its last report described it. */
export interface LockInstance {
  /**
   * The client id of the instance: the last part of {@link TickRecord.instance}, and the first part of each lock's
   * holder id. New at each start.
   */
  readonly id: string;
  /** The application: see the option `appName`. */
  readonly app: string;
  /** The host name of its machine. */
  readonly host: string;
  /** The process id. */
  readonly pid: number;
  /** The version of this library that the instance has. */
  readonly version: string;
  /** When the module instance started, in epoch ms by the clock of Redis. */
  readonly started: number;
  /** When the instance reported last, in epoch ms by the clock of Redis. It reports every 10 s. */
  readonly seen: number;
  /** The number of locks that the instance held at its last report. */
  readonly held: number;
  /** The number of callers that waited for a lock at its last report. */
  readonly waiting: number;
  /** The scheduled jobs of the instance. */
  readonly jobs: readonly InstanceJob[];
  /**
   * Up to 50 entries, as of its last report: the locks, semaphores and latches for which its callers waited, and the
   * expirable semaphores of which it held permits. For the locks that it holds see {@link Fleet.locks}.
   */
  readonly locks: readonly InstanceLock[];
  /** The elections in which the instance has a candidate, up to 50. A change of the leader is reported at once. */
  readonly elections: readonly InstanceElection[];
}

/** An election in which an instance has a candidate. */
export interface InstanceElection {
  /** The key of the election. */
  readonly key: string;
  /** Whether the instance led at its last report. */
  readonly isLeader: boolean;
}

/**
 * A lock, semaphore or latch for which callers of an instance wait, or an expirable semaphore of which it holds
 * permits.
 */
export interface InstanceLock {
  /**
   * The name of the lock. If `nameMapper` is set, this is the name in Redis, because the library cannot map it back.
   */
  readonly name: string;
  /** How many permits of this expirable semaphore the instance held; 0 for another kind of lock. */
  readonly permits: number;
  /** The number of its callers that waited for the lock. */
  readonly waiting: number;
}

/** The kind of a lock, as far as its keys in Redis show it. A fair lock without waiters is a `lock`. */
export type FoundKind =
  | 'lock'
  | 'fenced lock'
  | 'fair lock'
  | 'lock of a job'
  | 'read lock'
  | 'write lock'
  | 'semaphore'
  | 'semaphore or latch';

/** A holder of a lock, or a process that waits for it. */
export interface FoundHolder {
  /**
   * The holder id, `<client id>:<integer>`, if the keys of the lock have it. Otherwise the client id of the instance,
   * from the report of that instance. Entries for permits always have the client id.
   */
  readonly holder: string;
  /**
   * A holder of a lock: its hold count. A holder of permits: how many it has. A waiting instance: how many of its
   * callers wait, or 1 if it does not report that. A waiter of a fair lock: 1.
   */
  readonly count: number;
  /** The instance; `undefined` for a client that does not report itself, such as Redisson. */
  readonly instance: LockInstance | undefined;
}

/** A lock, semaphore or latch that has a key in Redis. */
export interface FoundLock {
  /**
   * The name of the lock. If `nameMapper` is set, this is the name in Redis, because the library cannot map it back.
   */
  readonly name: string;
  /** The key of the lock in Redis. */
  readonly key: string;
  /** Its kind, as far as its keys show it. */
  readonly kind: FoundKind;
  /**
   * The holders of a lock. For an expirable semaphore: the instances that have reported permits of it. Empty for
   * other semaphores and for latches.
   */
  readonly holders: readonly FoundHolder[];
  /** The available permits of a semaphore, or the count of a latch; `undefined` for a lock. */
  readonly left: number | undefined;
  /** The rest of the lease, in ms; `-1` without a lease. */
  readonly ttl: number;
  /**
   * Up to 100 waiters. For a fair lock: the holder ids in its queue, in their order. For any other lock: the
   * processes that Redis lists as waiting, and the instances that have reported that they wait.
   */
  readonly waiters: readonly FoundHolder[];
  /**
   * How many wait, as Redis counts them: places in the queue of a fair lock, processes for any other lock.
   * `undefined` if Redis refuses to count them.
   */
  readonly waiting: number | undefined;
}

/** Options of {@link Fleet.locks}. */
export interface FindLocksOptions {
  /** The beginning of the names. @default all names */
  readonly prefix?: string | undefined;
  /**
   * About how many locks a page has, from 1 to 1000. Keys are read in steps of about 500, and a page ends with the
   * step that reaches `limit`, so it may have more.
   * @default 100
   */
  readonly limit?: number | undefined;
  /** {@link LockPage.next} of the page before. @default the first page */
  readonly from?: string | undefined;
}

/** One page of the locks. */
export interface LockPage {
  /**
   * Sorted by name within the page. In a Redis with many other keys, a page may be empty though later ones are not:
   * read on until `next` is `undefined`.
   */
  readonly locks: readonly FoundLock[];
  /** The beginning of the next page; `undefined` after the last one. */
  readonly next: string | undefined;
}

/** The instances of all applications with one `namePrefix` (see the option `instanceInfo`), and their locks. */
export interface Fleet {
  /**
   * Returns up to 1000 instances that are alive, the newest report first. Instances with an older version of this
   * library do not report, and neither do those with `instanceInfo: false`.
   * @throws LockUnavailableError
   */
  instances(): Promise<LockInstance[]>;
  /**
   * Finds the locks, semaphores and latches that have a key in Redis: by `SCAN` in bounded steps, and on a
   * connection of its own, which is closed after 10 s without a call. Locks that are taken or released meanwhile may
   * be missing, and a lock may be on two pages.
   * @throws LockConfigurationError `INVALID_OPTION`
   * @throws LockUnavailableError also if the user of Redis may not `SCAN`
   */
  locks(options?: FindLocksOptions): Promise<LockPage>;
  /**
   * Reads one lock, semaphore or latch.
   * @returns `undefined` if there is no key of that name in Redis, as for a lock that is free
   * @throws LockConfigurationError `INVALID_NAME`
   * @throws LockUnavailableError
   */
  lock(name: string): Promise<FoundLock | undefined>;
}
