import type { Duration } from './duration.js';
import type { LockHandle, LockOptions, UsingOptions, WorkResult } from './lock.contract.js';

/** Options of a wait for permits, or for a latch. */
export interface WaitOptions {
  /**
   * How long to wait, in ms or as a duration string: see {@link LockOptions.waitTime}.
   * @default the option `waitTime` of the module; without it no limit, but 0 for `tryAcquire()`
   */
  readonly waitTime?: Duration | undefined;
  /** Aborts the wait: see {@link LockOptions.signal}. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `using()` of a semaphore. */
export interface PermitsOptions extends WaitOptions {
  /** The number of permits that the work needs. @default 1 */
  readonly permits?: number | undefined;
}

/** The permits of a running `using()`. */
export interface TakenPermits {
  /** The name of the semaphore, without the prefix of the module. */
  readonly name: string;
  /** The number of permits that the work holds. */
  readonly permits: number;
  /**
   * Aborts when the permits are released. During a shutdown of the application it aborts as soon as
   * `shutdownTimeout` has passed, even if the work still runs.
   */
  readonly signal: AbortSignal;
}

/**
 * A number of permits that the whole fleet shares, including Redisson's clients. A semaphore has no holders:
 * the caller that acquired permits has to release them, and the permits of a process that dies are lost until
 * `addPermits()` restores them. Use a {@link PermitExpirableSemaphore} if permits must come back by themselves.
 * A number of permits is a whole number. Maximum: 2147483647. Minimum for methods that acquire or release
 * permits: 1. For any other number, or an invalid option, a method rejects with a `LockConfigurationError` of
 * code `INVALID_OPTION`.
 */
export interface Semaphore {
  /** The name of the semaphore, without the prefix of the module. */
  readonly name: string;
  /**
   * Creates the semaphore, unless it exists. A semaphore that does not exist grants no permits.
   * @param permits the number of permits. Minimum: 0
   * @param timeToLive how long the semaphore exists after this call. Minimum: 1 ms. @default no limit
   * @returns `false` if the semaphore already exists
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid `permits` or `timeToLive`
   */
  trySetPermits(permits: number, timeToLive?: Duration): Promise<boolean>;
  /**
   * Waits for `permits` permits; acquires all or none. Callers of one process are served in order.
   * @param permits default 1
   * @throws LockNotAcquiredError if the permits were not acquired within `waitTime`; with the code
   * `TOO_MANY_WAITERS` if too many callers of this process wait
   * @throws LockUnavailableError as `Lockable.lock`
   */
  acquire(permits?: number, options?: WaitOptions): Promise<void>;
  /**
   * Acquires permits if they become available within `waitTime` (default: see {@link WaitOptions.waitTime}).
   * @param permits default 1
   * @returns `false` only if too few permits are available
   * @throws LockNotAcquiredError `TOO_MANY_WAITERS` if too many callers of this process wait
   * @throws LockUnavailableError as `Lockable.lock`
   */
  tryAcquire(permits?: number, options?: WaitOptions): Promise<boolean>;
  /**
   * Releases permits. The number is not checked against the acquired permits, so the semaphore can grow.
   * Creates the semaphore if it does not exist.
   * @param permits default 1
   * @throws LockUnavailableError. Do not call again if Redis did not answer: the library repeats the
   * release in the background
   */
  release(permits?: number): Promise<void>;
  /**
   * Like {@link release}, but does nothing if the semaphore does not exist.
   * @param permits default 1
   * @returns whether the semaphore exists
   * @throws LockUnavailableError as {@link release}
   */
  releaseIfExists(permits?: number): Promise<boolean>;
  /**
   * Acquires permits, runs `work`, and releases the permits when the work has ended, like `Lockable.using`. A
   * failed release never replaces the result or error of the work; it is repeated in the background if Redis
   * did not answer. A semaphore that is gone by then stays gone: unlike {@link release}, it does not create it.
   * @throws LockNotAcquiredError and LockUnavailableError as {@link acquire}; `work` was not run
   * @throws LockConfigurationError `INVALID_OPTION`; `NOT_ASYNC` as `Lockable.using`
   */
  using<T>(work: (taken: TakenPermits) => WorkResult<T>, options?: PermitsOptions): Promise<T>;
  /**
   * The number of available permits; below 0 if a negative `addPermits()` removed more than were available.
   * @throws LockUnavailableError
   */
  availablePermits(): Promise<number>;
  /**
   * Acquires all available permits. If the number of available permits is negative, it is set to 0.
   * @returns the number of available permits before the call
   * @throws LockUnavailableError. If Redis did not answer, the drain is undone in the background
   */
  drainPermits(): Promise<number>;
  /**
   * Raises the number of available permits. A negative value lowers the number, even below 0. Creates the
   * semaphore if it does not exist.
   * @throws LockUnavailableError as {@link release}
   */
  addPermits(permits: number): Promise<void>;
  /**
   * Deletes the semaphore. Waiting callers keep waiting until the semaphore is created again.
   * @returns whether the semaphore existed
   * @throws LockUnavailableError
   */
  delete(): Promise<boolean>;
}

/**
 * A semaphore with a lease for each permit, so that the permits of a process that dies become available again.
 * A permit is held like a lock, by a handle. The watchdog renews its lease, unless the permit was acquired with
 * a fixed `leaseTime`. `handle.holder` is the permit id as Redisson's clients see it, 32 hex characters.
 */
export interface PermitExpirableSemaphore {
  /** The name of the semaphore, without the prefix of the module. */
  readonly name: string;
  /**
   * Creates the semaphore with this number of permits, unless it exists.
   * @returns `false` if the semaphore already exists
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for a number that is not a whole number from 0 to
   * 2147483647
   */
  trySetPermits(permits: number): Promise<boolean>;
  /**
   * Sets the total number of permits, including acquired ones. If `permits` is lower than the number of
   * acquired permits, holders keep their permits, and the number of available permits is negative. Creates the
   * semaphore if it does not exist. Throws like {@link trySetPermits}.
   */
  setPermits(permits: number): Promise<void>;
  /** Like {@link Semaphore.addPermits}. */
  addPermits(permits: number): Promise<void>;
  /** Waits for a permit, also while the semaphore does not exist. Throws like `Lockable.lock`. */
  acquire(options?: LockOptions): Promise<LockHandle>;
  /**
   * Acquires a permit if one becomes available within `waitTime` (default: see {@link LockOptions.waitTime}).
   * @returns `null` only if no permit is available
   * @throws LockUnavailableError and other errors as `Lockable.tryLock`
   */
  tryAcquire(options?: LockOptions): Promise<LockHandle | null>;
  /**
   * Acquires a permit, runs `work`, and releases the permit. A nested call acquires another permit. Throws like
   * `Lockable.using`.
   */
  using<T>(work: (handle: LockHandle) => WorkResult<T>, options?: UsingOptions): Promise<T>;
  /**
   * Releases a permit by its id, from any process. Use it if the id of a permit was passed to another process.
   * If a handle of this `LockService` holds the permit, the signal of the handle aborts at once.
   * @returns `false` if the permit is unknown, or its lease has ended
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for a value that is not a permit id
   */
  tryRelease(permitId: string): Promise<boolean>;
  /**
   * Sets the lease of a permit by its id. The lease then ends `leaseTime` from now, even if that shortens it.
   * For a permit that this process holds, use `handle.extend()`. If a watchdog renews the permit, its next
   * renewal sets a shortened lease back to the full time.
   * @param leaseTime minimum: 100 ms
   * @returns `false` if the permit is unknown, or its lease has ended
   * @throws LockUnavailableError
   * @throws LockConfigurationError `INVALID_OPTION` for a value that is not a permit id, or an invalid
   * `leaseTime`
   */
  updateLeaseTime(permitId: string, leaseTime: Duration): Promise<boolean>;
  /**
   * The remaining lease of a permit in ms: -1 if the permit has no lease, -2 if the permit is unknown or its
   * lease has ended. Throws like {@link tryRelease}.
   */
  getLeaseTime(permitId: string): Promise<number>;
  /**
   * The number of available permits; below 0 if `setPermits()` or a negative `addPermits()` removed more than
   * were available.
   * @throws LockUnavailableError
   */
  availablePermits(): Promise<number>;
  /** The number of acquired permits. @throws LockUnavailableError */
  acquiredPermits(): Promise<number>;
  /** The total number of permits. @throws LockUnavailableError */
  getPermits(): Promise<number>;
  /**
   * Deletes the semaphore and the leases of its permits, so that every holder loses its permit. Waiting callers keep
   * waiting until the semaphore is created again.
   * @returns whether the semaphore existed
   * @throws LockUnavailableError
   */
  delete(): Promise<boolean>;
}
