import type { Observable } from 'rxjs';
import type { Duration } from './duration.js';

/** Options for acquiring a lock. */
export interface LockOptions {
  /**
   * How long to wait for the lock, in ms or as a duration string. `0` tries once; `Infinity` waits without
   * limit. If Redis does not answer, the call rejects with a `LockUnavailableError` after `waitTime`, or after
   * `commandTimeout` if `waitTime` is below 100 ms; a call without a limit waits until Redis answers (see
   * docs/degraded-redis.md).
   * @default the option `waitTime` of the module. Without that option: 0 for `tryLock()`, `tryAcquire()`, the
   * decorator and the interceptor; no limit for other calls
   */
  readonly waitTime?: Duration | undefined;
  /**
   * A fixed lease, which is never renewed: the lock is free again when the lease ends, even if the work still runs.
   * Minimum: 100 ms. Three times per lease (or per `lockWatchdogTimeout`, if that is shorter) the library checks that
   * Redis still has the lock. If an unlock passes the lock directly to the next waiter of this process (see {@link
   * HandOverBounds}), the lease of that waiter may be up to 1 % shorter than its `leaseTime`.
   * @default none: the watchdog renews the lease until the lock is released
   */
  readonly leaseTime?: Duration | undefined;
  /**
   * Aborts the wait. The call then rejects with the reason of the signal, and leaves nothing behind in Redis.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `using()`. */
export interface UsingOptions extends LockOptions {
  /**
   * What `using()` does if the lock was lost while the work ran. `signal`: the result or error of the work is
   * returned as it is, and the signal of the handle is aborted. `throw`: `using()` rejects with a
   * `LockLostError` if the work completed; an error of the work is kept.
   * @default 'signal'
   */
  readonly onLost?: 'signal' | 'throw' | undefined;
}

/**
 * The result of an unlock.
 *
 * - `released`: the lock is free. For a read/write lock: this acquisition is released, but other readers, or
 *   the other side, may still hold the lock.
 * - `kept`: another acquisition of the same holder, an enclosing or a simultaneous one, still holds the lock.
 * - `lost`: the lease had ended, or the lock was taken away before the unlock. Redis was not changed.
 */
export type UnlockOutcome = 'released' | 'kept' | 'lost';

/**
 * One acquisition of a lock. Lasts until `unlock()` or the end of its lease. Other calls can end it earlier. An
 * acquisition of a lock is ended by `forceUnlock()`. An acquisition of a permit is ended by `tryRelease()`, by
 * `delete()` of the semaphore, and by `updateLeaseTime()` if it has shortened the lease. `await using` unlocks at the
 * end of the block; a failed unlock is not thrown.
 */
export interface LockHandle extends AsyncDisposable {
  /** The name of the lock, without the prefix of the module. */
  readonly name: string;
  /**
   * The holder id in Redis: `<client id>:<integer>`; for a permit 32 hex characters, for a multi lock the ids of its
   * members, separated by spaces.
   */
  readonly holder: string;
  /** The newest fencing token of a fenced lock, a leader or the run of a tick; `undefined` for other locks. */
  readonly token: bigint | undefined;
  /**
   * If the lease is not renewed, the signal aborts with a `LockLostError` shortly before the lease ends, and so
   * before Redis can grant the lock to another holder. If another `LockService` ended the lease, such as by
   * `forceUnlock()`, or if Redis lost its data, it aborts late: at the next renewal or, with a fixed lease, at the
   * next check (see `LockOptions.leaseTime`). If the lease ended while the machine was suspended, the signal aborts
   * within about a second after it resumes. It aborts with the code `LOST` when `shutdownTimeout` ends, and with `MAX_HOLD` if the
   * hold exceeds `maxHold`. The signal also aborts on unlock, with the code `RELEASED`, to stop work that continues
   * after the release. If you pass the signal to `fetch()`, read the body before the unlock. The signal is created
   * when this property is first read.
   */
  readonly signal: AbortSignal;
  /**
   * Whether the lock is held. Becomes `false` shortly before the lease can end in Redis, according to the monotonic
   * clock of this process. Where {@link signal} aborts late, `isHeld` changes late as well. After the machine was
   * suspended, `isHeld` is `false` until Redis answers. If the lease still exists, `isHeld` becomes `true` again; if
   * not, {@link signal} aborts.
   */
  readonly isHeld: boolean;
  /**
   * Checks that the lock is held.
   * @throws LockLostError if {@link isHeld} is `false`
   */
  assertHeld(): void;
  /**
   * Extends the lease, so that it ends at least `leaseTime` from now. Never shortens the lease. A fixed lease
   * stays fixed; any other lease is still renewed by the watchdog.
   * @param leaseTime minimum: 100 ms
   * @returns `false` if the lock is no longer held
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid `leaseTime`
   */
  extend(leaseTime: Duration): Promise<boolean>;
  /**
   * Releases this acquisition. Idempotent: a second call returns the result of the first. A lost lease is not
   * an error: the result is `lost`.
   * @throws LockUnavailableError if Redis does not answer or refuses the release. If Redis did not answer, the
   * library repeats the release in the background
   */
  unlock(): Promise<UnlockOutcome>;
  /**
   * Runs `work` in the scope of this lock. If the lock is re-entrant, `work` can acquire it again. If the lock
   * is not re-entrant, a further acquisition rejects with `NOT_REENTRANT`. In the scope of a permit, `work` can
   * acquire another permit. `run()` does not check that the lock is held: call {@link assertHeld} first. Returns
   * the result of `work` unchanged, and does not unlock.
   */
  run<T>(work: () => T): T;
  /** The fields of the handle for a log line; the token is a string because JSON has no bigint. */
  toJSON(): LockHandleJson;
}

/** The JSON form of a handle. */
export interface LockHandleJson {
  /** See {@link LockHandle.name}. */
  readonly name: string;
  /** The holder id in Redis. */
  readonly holder: string;
  /** {@link LockHandle.isHeld} when the handle was serialized. */
  readonly isHeld: boolean;
  /** {@link LockHandle.token} in decimal digits; absent if that is `undefined`. */
  readonly token?: string;
}

/** What work may return for the result `T`: the value, or a promise or an Observable of the value. */
export type WorkResult<T> = T | Observable<T> | PromiseLike<T | Observable<T>>;

/**
 * A lock, or several locks that are held as one. The object is lightweight and holds nothing itself: two
 * objects of the same kind and name are the same lock. {@link CurrentLock} says what a scope is.
 */
export interface Lockable<H extends LockHandle = LockHandle> {
  /**
   * The name of the lock, without the prefix of the module; for several locks all names, as in `account:1,
   * account:2`.
   */
  readonly name: string;
  /**
   * Waits for the lock.
   * @throws LockNotAcquiredError if another holder still has the lock when `waitTime` ends; with the code
   * `TOO_MANY_WAITERS` if too many callers of this process wait
   * @throws LockUnavailableError if Redis refuses the command, or does not answer in time (see {@link
   * LockOptions.waitTime}); `SHUTTING_DOWN` while the application shuts down, unless the caller is in the scope of
   * any lock
   * @throws LockConfigurationError for an invalid option, or if the calling scope can never acquire the lock
   * (`NOT_REENTRANT`, `UPGRADE`)
   */
  lock(options?: LockOptions): Promise<H>;
  /**
   * Acquires the lock if it becomes free within `waitTime` (default: see {@link LockOptions.waitTime}).
   * @returns `null` only if another holder has the lock; if Redis is unavailable, the call rejects
   * @throws LockUnavailableError as {@link lock}
   * @throws LockNotAcquiredError `TOO_MANY_WAITERS` if too many callers of this process wait
   * @throws LockConfigurationError as {@link lock}
   */
  tryLock(options?: LockOptions): Promise<H | null>;
  /**
   * Acquires the lock, runs `work` in its scope (see {@link LockHandle.run}), and releases the lock when the
   * work has ended. If the work returns a stream, an async generator or a child process, `using()` returns that
   * object at once, and keeps the lock until the object ends (see docs/locks.md). If the work returns an
   * Observable, `using()` subscribes to it in the scope of the lock: the result is its last value, or
   * `undefined` if it completes without a value. A failed release never replaces the result or error of the
   * work. The loss of the lock replaces the result only if {@link UsingOptions.onLost} is `'throw'`.
   * @throws LockNotAcquiredError if the lock was not acquired within `waitTime`; with the code
   * `TOO_MANY_WAITERS` if too many callers of this process wait; `work` was not run
   * @throws LockUnavailableError as {@link lock}; `work` was not run
   * @throws LockLostError with `onLost: 'throw'`, if the lock was lost while the work ran
   * @throws LockConfigurationError as {@link lock}; `NOT_ASYNC` if `work` is a synchronous generator function,
   * or if the end of its result cannot be detected, as for a synchronous iterator
   */
  using<T>(work: (handle: H) => WorkResult<T>, options?: UsingOptions): Promise<T>;
  /**
   * Whether the calling scope holds the lock (see {@link CurrentLock}), by the state and clock of this process; sends
   * nothing to Redis. For the handle of `lock()` or `tryLock()` see {@link LockHandle.isHeld}.
   */
  isHeld(): boolean;
}

/** A lock with a name. */
export interface Lock<H extends LockHandle = LockHandle> extends Lockable<H> {
  /**
   * Asks Redis whether the lock is held by any holder.
   * @throws LockUnavailableError
   */
  isLocked(): Promise<boolean>;
  /**
   * Asks Redis for the hold count of the calling scope: the number of its acquisitions; 0 outside of a scope that
   * holds the lock (see {@link CurrentLock}).
   * @throws LockUnavailableError
   */
  getHoldCount(): Promise<number>;
  /**
   * Asks Redis for the remaining lease of the current holder, in ms: -2 if the lock is free, -1 if the lock has no
   * lease. Redisson, the Java client that shares these locks, has the same values.
   * @throws LockUnavailableError
   */
  remainTimeToLive(): Promise<number>;
  /**
   * Releases the lock of any holder, in this or another process, and wakes a waiter. The signal of a holder of
   * this `LockService` aborts at once; for other holders see {@link LockHandle.signal}. On a `readLock()` it
   * releases the readers, and does nothing while a writer holds the lock. On a `writeLock()` it releases the
   * writer, including the read holds of that writer.
   * @returns whether the lock was held
   * @throws LockUnavailableError
   */
  forceUnlock(): Promise<boolean>;
}

/** The handle of a fenced lock. */
export interface FencedLockHandle extends LockHandle {
  /** The newest token of the hold, including the tokens of re-entries. */
  readonly token: bigint;
}

/**
 * A lock with a fencing token for each grant, including re-entries. Each token is higher than all earlier
 * tokens of the lock.
 */
export interface FencedLock extends Lock<FencedLockHandle> {
  /**
   * Asks Redis for the newest token of this lock, of any holder.
   * @returns `undefined` before the first grant
   * @throws LockUnavailableError
   */
  getToken(): Promise<bigint | undefined>;
}

/** Two locks with one name, the sides of one kind: many holders may read, or one holder may write. */
export interface ReadWriteLock {
  /** The name of both sides, without the prefix of the module. */
  readonly name: string;
  /**
   * The read lock, shared by all readers. A scope that holds the write lock may also acquire the read
   * lock, and still holds it after releasing the write lock.
   */
  readLock(): Lock;
  /**
   * The write lock, which excludes all other holders. A scope with only the read lock cannot acquire it: the
   * call rejects at once with `UPGRADE`.
   */
  writeLock(): Lock;
}

/**
 * The handle of the current scope. A scope is the code inside a decorated method, an intercepted handler, `using()`,
 * `handle.run()`, `@LeaderOnly`, a callback of an election, or the run of a tick. `lock()` and `tryLock()` open no
 * scope. After `await lock.lock()`, `lock.isHeld()` is `false`, and another `lock.lock()` waits until the first
 * handle is unlocked.
 */
export interface CurrentLock extends LockHandle {
  /** For a tick: when it was due, in epoch ms, the same in all attempts; see `TickRecord.tick`. */
  readonly tick: number | undefined;
  /** For a tick: the number of the run, 1 for the first. */
  readonly attempt: number | undefined;
}
