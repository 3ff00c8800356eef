import type { Duration } from './duration.js';

/** Options of the module. */
export interface LockModuleSettings {
  /**
   * The lease of a hold without `leaseTime`. Minimum: 300 ms. The watchdog renews the lease three times within
   * this time. The locks of a killed process become free within this time.
   * @default '30s'
   */
  readonly lockWatchdogTimeout?: Duration | undefined;
  /**
   * Concerns only Redisson clients, at a fair lock. If a process of this library dies while it waits without a time
   * limit for a fair lock, its place stays in the queue. Redisson clients behind that place skip it after this time.
   * Clients of this library skip it after about 3 s, whatever this option says. Minimum: 1 s. Maximum: 1 h; a longer
   * value counts as 1 h. Redisson has a setting of the same name and meaning.
   * @default '5m'
   */
  readonly fairLockWaitTimeout?: Duration | undefined;
  /** The default `waitTime` of each way to acquire a lock. */
  readonly waitTime?: WaitTimes | undefined;
  /**
   * The prefix of every lock name in Redis, so that a cache key of the same name cannot overwrite a lock. With `''`,
   * the key in Redis is the name of the lock, as Redisson has it.
   * @default 'lock:'
   */
  readonly namePrefix?: string | undefined;
  /**
   * Maps the name of a lock to its name in Redis, like Redisson's `NameMapper`. Replaces `namePrefix`; both
   * together fail the startup with `INVALID_OPTION`.
   * @default none
   */
  readonly nameMapper?: ((name: string) => string) | undefined;
  /**
   * The name of the application in tick records. A warning is logged if two applications with different names
   * register the same job. Set this option if several environments share a Redis, or if the working directory
   * has no package.json: see docs/environments.md.
   * @default the `name` in the package.json of the working directory; without one, `process.title`
   */
  readonly appName?: string | undefined;
  /**
   * The maximum duration of a hold, from the grant of a lock to its release. Minimum: 1 ms. The signal of a longer
   * hold aborts with the code `MAX_HOLD`, `isHeld` becomes `false`, and the lock is free when its lease ends, because
   * it is no longer renewed. Not for elections.
   * @default no limit; '1h' for ticks
   */
  readonly maxHold?: Duration | undefined;
  /**
   * Logs every wait and every hold that lasts longer than this. Minimum: 1 ms. Not for elections. If the option is
   * not set, the library logs only probable self-deadlocks, that is, when a call without a time limit has waited 10 s
   * for a lock that this process itself acquired with `lock()` or `tryLock()`. `Infinity` disables this warning as
   * well.
   * @default not set
   */
  readonly warnAfter?: Duration | undefined;
  /**
   * The maximum number of waiters for one lock in this process. Minimum: 1. Further calls reject at once with
   * `TOO_MANY_WAITERS`. @default 10000
   */
  readonly maxWaiters?: number | undefined;
  /** Limits how long this process passes a lock from waiter to waiter before other processes get their turn. */
  readonly handOver?: HandOverBounds | undefined;
  /**
   * The type of pub/sub channel on which waiters are told of a release, in a cluster. `auto`: sharded channels if the
   * servers support them (Redis 7 and later), as Redisson does by default. `sharded`: always sharded. `classic`:
   * never sharded. Subscribers of one type of channel do not receive messages of the other: set `classic` if
   * Redisson's `shardedSubscriptionMode` is `OFF`, or if Redisson is older than 3.22. Without a cluster, channels are
   * classic, and `sharded` fails the startup with `INVALID_OPTION`.
   * @default 'auto'
   */
  readonly pubsub?: 'auto' | 'sharded' | 'classic' | undefined;
  /** The timeout of one call to Redis. Minimum: 50 ms. @default '1s' */
  readonly commandTimeout?: Duration | undefined;
  /**
   * Requires that replicas acknowledge each grant and renewal: see docs/replication.md. If they do not acknowledge a
   * grant in time, the library undoes it, and requests the lock again. It gives up when `waitTime` ends or, for a
   * call without a time limit, after 5 such requests. In both cases the call rejects with `NOT_REPLICATED`. A renewal
   * without acknowledgement counts as unanswered, and is repeated. Red locks are not affected. If the server refuses
   * `WAIT` or `INFO`, the option has no effect, which is logged once.
   * @default off
   */
  readonly replication?: ReplicaAcknowledgement | undefined;
  /**
   * Checks each server with one `INFO` at startup, in the background, and logs a warning if the eviction
   * policy, the role or the version endangers locks, or if the address is that of one node of a cluster. For
   * more checks run `npx nestjs-distributed-lock doctor`.
   * @default true
   */
  readonly serverCheck?: boolean | undefined;
  /**
   * Whether the instance reports itself to Redis: 2 s after its start, and then every 10 s. The report has its
   * application, version, host, process id, jobs and elections, the number of locks that it holds, the names of the
   * locks for which it waits, and the names of the expirable semaphores whose permits it holds. A change of a leader
   * is reported at once. `LockService.fleet` and the command line show which instance holds a lock, and which
   * instances have a job. A dead instance disappears after 45 s.
   * @default true
   */
  readonly instanceInfo?: boolean | undefined;
  /**
   * How long work may continue at shutdown before its signals abort. Counted from the first shutdown hook of
   * the application, including the time of other hooks. `0` aborts at once. The signal of a leader aborts
   * earlier, in `beforeApplicationShutdown`.
   * @default '10s'
   */
  readonly shutdownTimeout?: Duration | undefined;
  /** The HTTP status of a request that did not get its lock. @default 423 */
  readonly busyStatus?: 423 | 409 | 429 | 503 | undefined;
  /**
   * The `Retry-After` header of a response to a request that got no lock (`busyStatus`, or 503), rounded up to
   * seconds. @default '1s'
   */
  readonly retryAfter?: Duration | undefined;
}

/** How many replicas must acknowledge a grant. */
export interface ReplicaAcknowledgement {
  /**
   * The number of replicas. Minimum: 1. `majority`: as many as are needed so that more than half of the servers,
   * including the master, have the grant. This number grows when replicas are added, and does not shrink when they
   * go. Until the library has seen a master with a replica, no acknowledgement is required.
   */
  readonly acks: number | 'majority';
  /**
   * How long the replicas may take before the grant is undone. Minimum: 10 ms. Maximum: a third of
   * `commandTimeout`.
   * @default '300ms', or a third of `commandTimeout` if that is less
   */
  readonly timeout?: Duration | undefined;
}

/** Timing options of red locks. */
export interface RedLockTimes {
  /**
   * How long a restarted server is left out of the quorum, because it may have lost locks and would grant them again.
   * At least `lockWatchdogTimeout`, or `0`. A red lock rejects a `leaseTime` that is longer than this delay. `0` is
   * for servers that write every command to disk before they answer: no server is left out, and any `leaseTime` is
   * accepted.
   * @default lockWatchdogTimeout
   */
  readonly restartDelay?: Duration | undefined;
}

/** The default `waitTime` of each way to acquire a lock; `Infinity` waits without limit. */
export interface WaitTimes {
  /** The wait of `lock()`, and of `acquire()` and `await()`. @default no limit */
  readonly lock?: Duration | undefined;
  /** The wait of `tryLock()` and `tryAcquire()`. @default 0 */
  readonly tryLock?: Duration | undefined;
  /** The wait of `using()`. @default no limit */
  readonly using?: Duration | undefined;
  /** The wait of a method with `@DistributedLock`. @default 0 */
  readonly decorator?: Duration | undefined;
  /** The wait of a handler with `@UseDistributedLock`. @default 0 */
  readonly interceptor?: Duration | undefined;
}

/**
 * Limits of hand-offs. In a hand-off, the next waiter of the same process gets the lock at an unlock, without a
 * request to Redis.
 */
export interface HandOverBounds {
  /**
   * The maximum number of consecutive hand-offs. Minimum: 0. In two cases a smaller maximum applies (never more than
   * `max`):
   *
   * - If other processes wait: as many as this process has waiters, or 16 if it has fewer.
   * - If it is unknown whether other processes wait: 64.
   *
   * @default 4096
   */
  readonly max?: number | undefined;
  /** The maximum duration of a series of consecutive hand-offs, from the first one. @default '15ms' */
  readonly time?: Duration | undefined;
}
