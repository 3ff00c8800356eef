import type { Duration } from './duration.js';

/** Options of the module; the defaults stand here and nowhere else. */
export interface LockModuleSettings {
  /**
   * The lease of a hold without `leaseTime`; renewed every third of it. At least 300 ms.
   * A killed process keeps its locks for this long.
   * @default '30s'
   */
  readonly lockWatchdogTimeout?: Duration | undefined;
  /**
   * The wait that a waiter without `waitTime` declares in the queue of a fair lock: so long it stands in the way of others
   * after its process has died, if they are Redisson's. The same as Redisson's setting of that name; cut to 1 h.
   * @default '5m'
   */
  readonly fairLockWaitTimeout?: Duration | undefined;
  /** How long each door waits when the call does not say. */
  readonly waitTime?: WaitTimes | undefined;
  /**
   * Put in front of every lock name, so that a lock can never be overwritten by a cache key of the same name.
   * `''` shares plain names with Redisson.
   * @default 'lock:'
   */
  readonly namePrefix?: string | undefined;
  /** Maps a lock's name to its name in Redis, like Redisson's `NameMapper`; replaces `namePrefix`. */
  readonly nameMapper?: ((name: string) => string) | undefined;
  /**
   * The application's name in tick records; a job that is registered under two names is warned of. Say it where environments share a
   * Redis, and where the working directory has no package.json: see docs/environments.md.
   * @default the `name` of the working directory's package.json
   */
  readonly appName?: string | undefined;
  /** The longest a hold may last before its signal aborts and its renewal stops. @default off; '1h' for ticks */
  readonly maxHold?: Duration | undefined;
  /**
   * Log a wait or a hold that lasts longer than this; `Infinity` turns it off. @default off, but for callers that probably wait for
   * themselves: a wait of 10 s without a bound behind a handle of this process, from `lock()` or `tryLock()`, is logged once
   */
  readonly warnAfter?: Duration | undefined;
  /** The most waiters of one lock in this process; one more is refused at once with `TOO_MANY_WAITERS`. @default 10000 */
  readonly maxWaiters?: number | undefined;
  /** How long one lock may be handed from waiter to waiter inside this process before other processes get their turn. */
  readonly handOver?: HandOverBounds | undefined;
  /**
   * In a cluster: whether releases are told on sharded channels. `auto`: where the servers know them (Redis 7 and later), which is
   * also what Redisson does by default. The two kinds of channels do not hear each other: say `classic` where Redisson's
   * `shardedSubscriptionMode` is `OFF`, or is older than 3.22. Elsewhere channels are never sharded.
   * @default 'auto'
   */
  readonly pubsub?: 'auto' | 'sharded' | 'classic' | undefined;
  /** The deadline of one round trip to Redis. @default '1s' */
  readonly commandTimeout?: Duration | undefined;
  /**
   * Lets a lock be granted, or renewed, only when replicas have it as well: see docs/replication.md. Not for red locks.
   * @default off
   */
  readonly replication?: ReplicaAcknowledgement | undefined;
  /**
   * Whether each server is asked by one `INFO` at boot, for which nothing waits, and warned of in the log when its eviction policy,
   * its role or its version endangers locks. For more there is `npx nestjs-distributed-lock doctor`.
   * @default true
   */
  readonly serverCheck?: boolean | undefined;
  /**
   * How long running work has before its signals are aborted, counted from the application's first shutdown hook on, whatever Nest or other modules
   * wait for. 0 aborts it at once.
   * @default '10s'
   */
  readonly shutdownTimeout?: Duration | undefined;
  /** The HTTP status of a refusal. @default 423 */
  readonly busyStatus?: 423 | 409 | 429 | 503 | undefined;
  /** The `Retry-After` of a refusal, rounded up to seconds. @default '1s' */
  readonly retryAfter?: Duration | undefined;
}

/** How many replicas have to have a grant before it counts. */
export interface ReplicaAcknowledgement {
  /** At least 1. `majority`: with the master they are more than half of all copies, so that they grow with the replicas. */
  readonly acks: number | 'majority';
  /**
   * How long they may take before the grant is undone; 10 ms to a third of `commandTimeout`.
   * @default '300ms', or a third of a commandTimeout below 900 ms
   */
  readonly timeout?: Duration | undefined;
}

/** Times of red locks. */
export interface RedLockTimes {
  /**
   * How long a server that has started is not counted: it may have forgotten locks that were granted before, and must not
   * grant them again while they last. Not less than `lockWatchdogTimeout`, and no red lock's `leaseTime` may be longer. `0` for
   * servers that write every command to disk before they answer.
   * @default lockWatchdogTimeout
   */
  readonly restartDelay?: Duration | undefined;
}

/** Default wait time of each door; `Infinity` waits without bound. */
export interface WaitTimes {
  /** @default no bound */
  readonly lock?: Duration | undefined;
  /** @default 0 */
  readonly tryLock?: Duration | undefined;
  /** @default no bound */
  readonly using?: Duration | undefined;
  /** @default 0 */
  readonly decorator?: Duration | undefined;
  /** @default 0 */
  readonly interceptor?: Duration | undefined;
}

/** Bounds of the hand-over inside a process. */
export interface HandOverBounds {
  /**
   * Hand-overs in a row. While other processes wait a row is as long as the line of waiters was when it began (at least 16), and
   * 64 while that is not known.
   * @default 4096
   */
  readonly max?: number | undefined;
  /** Time since the first of a row. @default 15 ms */
  readonly time?: Duration | undefined;
}
