import type { Duration } from './duration.js';
import type { HeartbeatOption } from './heartbeat.contract.js';

/** The argument of `onBusy`. */
export interface BusyContext<A extends readonly unknown[] = readonly unknown[]> {
  /** See `Lockable.name`. */
  readonly name: string;
  /** The arguments of the call. */
  readonly args: A;
  /** How long the call waited, in ms. */
  readonly waited: number;
  /** The holder id of the current holder, if known. */
  readonly holder: string | undefined;
}

/** The name of a lock, or the names of several locks that are held as one multi lock. */
export type LockNames = string | readonly string[];

/** The kinds of lock for decorators, the interceptor and `LockService.using()`. */
export type GuardKind = 'reentrant' | 'fair' | 'read' | 'write' | 'fenced';

/** Options of the decorator and the interceptor. */
export interface GuardOptions<A extends readonly unknown[] = readonly unknown[], R = unknown> {
  /**
   * The kind of the lock, or of every lock if the key has several names. One name has one kind in an
   * application (`read` and `write` are the two sides of one kind): a call with another kind rejects with
   * `KIND_CONFLICT`.
   *
   * - `reentrant`: one call at a time.
   * - `fair`: one call at a time, in the order of the requests of all instances.
   * - `read`: together with other `read` calls.
   * - `write`: alone. A method with `write` may call methods with `read` of the same key; the reverse rejects
   *   with `UPGRADE`.
   * - `fenced`: one call at a time. `currentLock()?.token` is the fencing token, a bigint that rises with each
   *   grant; it is `undefined` if the key has several names.
   *
   * A scheduled method supports `reentrant` only. Each run of it has a fencing token, too: `currentLock()?.token`.
   * @default 'reentrant'
   */
  readonly kind?: GuardKind | undefined;
  /**
   * How long a call waits for the lock: see `LockOptions.waitTime`.
   * @default 0, or the module's `waitTime.decorator` / `waitTime.interceptor`
   */
  readonly waitTime?: Duration | undefined;
  /**
   * A fixed lease: see `LockOptions.leaseTime`.
   * @default none: the watchdog renews the lease
   */
  readonly leaseTime?: Duration | undefined;
  /**
   * What a call returns if the lock was not acquired within `waitTime`, or if too many callers wait
   * (`TOO_MANY_WAITERS`). `throw`: rejects with a `LockNotAcquiredError` (423 over HTTP). `skip`: returns `undefined`
   * without running the method. A function: its result. The function is called only for the lock of this decorator,
   * never for a lock that the method acquires itself, and never because Redis is unavailable.
   * @default 'throw'
   */
  readonly onBusy?: 'throw' | 'skip' | ((context: BusyContext<A>) => R | PromiseLike<R>) | undefined;
  /** See `UsingOptions.onLost`. @default 'signal' */
  readonly onLost?: 'signal' | 'throw' | undefined;
  /** The `name` of the module instance whose locks are used. @default the unnamed instance */
  readonly service?: string | undefined;
}

/** Options for scheduled methods; on other methods they fail the startup. */
export interface TickOptions {
  /**
   * What happens to a tick while an earlier run or another holder has the lock. `skip`: the tick is recorded
   * and does not run. `queue`: one instance runs the tick as soon as the lock is free; of several queued ticks
   * only the newest runs, the others are recorded. The startup fails if `queue` is used with `shared: true`, or
   * on a `@Timeout` without `minInterval`.
   * @default 'skip'
   */
  readonly overlap?: 'skip' | 'queue' | undefined;
  /**
   * What happens to a tick whose run had begun, and then crashed or was stopped by a shutdown. A run crashes if its
   * process dies, or if it loses its lock; a run that throws does not. `skip`: the tick does not run again. `retry`:
   * an instance runs the tick again, before any newer tick; `currentLock()?.attempt` counts the runs. The work must
   * tolerate a second run. With `retry`, the startup fails in the same cases as for `overlap: 'queue'`.
   * @default 'skip'
   */
  readonly onCrash?: 'skip' | 'retry' | undefined;
  /**
   * Only with `onCrash: 'retry'`: how many runs of a tick may crash. After the last of them the tick is recorded as
   * `abandoned`, with an error in the log, and does not run again; the schedule continues. A run that was handed over
   * at a shutdown does not count as a crash. Minimum: 1; `Infinity` retries without limit.
   * @default 3
   */
  readonly maxAttempts?: number | undefined;
  /**
   * Only for `@Cron` with an expression: on any other schedule, the startup fails. After an outage of the fleet or of
   * Redis, the latest missed tick runs once if it is not older than this. Earlier ticks do not run, and neither do
   * ticks before the first registration of the job.
   * @default none: every missed tick is recorded and does not run
   */
  readonly catchUp?: Duration | undefined;
  /**
   * Only for `@Cron` with an expression: spreads the starts of the ticks, so that the jobs of many applications do
   * not all start at the full hour. Each tick starts up to this much later, but not later than half of the time until
   * the next tick. The delay is computed from the key of the job and the tick: all instances have the same one.
   * `tick`, in the records and in `currentLock()`, stays the time of the schedule. If all instances stop during the
   * delay, an instance that boots before the delay is over runs the tick. Give all instances the same value: if they
   * differ, the tick starts after the shortest delay. The call that the scheduler makes returns before the delay is
   * over. After the delay the library calls the method again, with all its decorators, on the instance that runs the
   * tick; an error of this call is logged. Not together with `shared: true`, `@LeaderOnly`, or `waitForCompletion` of
   * `@Cron`.
   * @default none: each tick starts at its instant
   */
  readonly splay?: Duration | undefined;
  /**
   * How late a tick may still start, if it is late for one of these reasons:
   *
   * - The timer of the tick did not fire (for example because somebody changed the clock of the machine), and the library
   *   notices this before the next tick is due.
   * - A shutdown prevented the run, and another instance takes the tick over. With `onCrash: 'retry'` there is no
   * limit in this case.
   *
   * A tick that is later is recorded as missed. On a `@Timeout` without `minInterval`, this option fails the startup.
   * `grace` does not apply to a timer that does fire, but late, because the process was blocked: such a tick runs if
   * it is at most 1 h late. A `catchUp` that is longer than `grace` replaces `grace`, and one that is longer than 1 h
   * also replaces this limit of 1 h.
   * @default '5s'
   */
  readonly grace?: Duration | undefined;
  /**
   * The maximum duration of a run. Minimum: 1 ms; `Infinity` removes the limit. On a `@Timeout` without
   * `minInterval`, this option fails the startup. The signal of a longer run aborts, with the code `MAX_HOLD`. The
   * run counts as crashed: with `onCrash: 'retry'` the tick runs again when the lease has ended.
   * @default the `maxHold` of the module, or '1h' if it is not set
   */
  readonly maxHold?: Duration | undefined;
  /**
   * Allows several scheduled methods with the same key, if all of them set this option. They share the ticks of the
   * key: for each tick, only the method that claims it first runs. Two objects of one class share them without this
   * option. @default false
   */
  readonly shared?: boolean | undefined;
  /**
   * The job runs at most once in the fleet within this time. Allowed for `@Timeout`; required for `@Cron` with
   * a `Date`. No effect on other schedules.
   * @default none: every instance runs its `@Timeout`, one instance at a time
   */
  readonly minInterval?: Duration | undefined;
  /**
   * How many records of the job Redis keeps, from 50 to 10,000: its runs, and the ticks that did not run. A record
   * takes about 300 bytes, and up to 500 characters more for an error message. `getRuns()` returns them. Set the same
   * value on all instances and, with `shared: true`, on all methods. If the values differ, the value of the instance
   * that made the newest claim applies. A smaller number deletes older records when the next one is written. An
   * instance with an older version of this library, without this option, deletes all but 50 records. On a `@Timeout`
   * without `minInterval`, this option fails the startup.
   * @default 50
   */
  readonly history?: number | undefined;
  /**
   * Reports each run of the job to an external service, such as healthchecks.io, that notices if no instance runs the
   * job any more. A URL, a URL for each state, or a function: see {@link HeartbeatOption}. `undefined` reports
   * nothing. The instance that runs a tick reports it; the one that notices an abandoned tick reports that. Not
   * reported are: a tick that does not run, the death of a process, and the end of a run that is handed over. A
   * heartbeat never delays, fails or aborts a run. A heartbeat that fails is not repeated. Of several failures in a
   * row, only the first is logged, with the host of the URL and not its path. A shutdown waits for heartbeats up to
   * `shutdownTimeout`. On a `@Timeout` without `minInterval`, this option fails the startup. See
   * docs/recipes/heartbeat.md.
   * @default none
   */
  readonly heartbeat?: HeartbeatOption | undefined;
}
