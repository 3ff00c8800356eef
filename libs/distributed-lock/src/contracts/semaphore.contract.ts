import type { Duration } from './duration.js';
import type { LockHandle, LockOptions, UsingOptions, WorkResult } from './lock.contract.js';

/** Options of a wait for permits, or for a latch. */
export interface WaitOptions {
  /**
   * How long to wait, in ms or as a duration string. `0` tries once.
   * @default no limit; 0 for `tryAcquire()`
   */
  readonly waitTime?: Duration | undefined;
  /**
   * Aborts the wait. The call then rejects with the reason of the signal, and leaves nothing behind in Redis.
   */
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
   * Aborted when the permits are released, and before that when the application shuts down and
   * `shutdownTimeout` has passed.
   */
  readonly signal: AbortSignal;
}

/**
 * A number of permits that the whole fleet shares, including Redisson's clients. A semaphore has no holders:
 * the caller that acquired permits has to release them, and the permits of a process that dies are lost until
 * `addPermits()` restores them. Use a {@link PermitExpirableSemaphore} if permits must come back by
 * themselves. A number of permits is a whole number up to 2147483647.
 *
 * Every method throws `LockUnavailableError` if Redis does not answer or refuses the command.
 */
export interface Semaphore {
  /** The name of the semaphore, without the prefix of the module. */
  readonly name: string;
  /**
   * Creates the semaphore with that number of permits, unless it exists. No permit is granted before that.
   * @param timeToLive the semaphore is deleted after this time. @default none
   * @returns `false` if the semaphore exists
   */
  trySetPermits(permits: number, timeToLive?: Duration): Promise<boolean>;
  /**
   * Waits for permits, and acquires all of them at once. Callers of one process are served in order.
   * @param permits default 1
   * @throws LockNotAcquiredError if the permits were not acquired within `waitTime`
   */
  acquire(permits?: number, options?: WaitOptions): Promise<void>;
  /**
   * Acquires permits if they become available within `waitTime` (default 0).
   * @param permits default 1
   * @returns `false` only if too few permits are available. If Redis is unavailable, the call rejects.
   */
  tryAcquire(permits?: number, options?: WaitOptions): Promise<boolean>;
  /**
   * Releases permits. The number is not checked against the acquired permits, so the semaphore can grow.
   * Creates the semaphore if it does not exist.
   * @param permits default 1
   * @throws LockUnavailableError if Redis does not answer; the release is then repeated in the background, so
   * do not repeat it
   */
  release(permits?: number): Promise<void>;
  /**
   * Like {@link release}, but does nothing if the semaphore does not exist. @returns whether the semaphore
   * exists
   */
  releaseIfExists(permits?: number): Promise<boolean>;
  /**
   * Acquires permits, runs `work`, and releases the permits when the work has ended, like `Lockable.using`.
   * The result or error of the work always takes precedence; a release without an answer of Redis is repeated
   * in the background.
   * @throws LockNotAcquiredError if the permits were not acquired within `waitTime`
   */
  using<T>(work: (taken: TakenPermits) => WorkResult<T>, options?: PermitsOptions): Promise<T>;
  /** The number of permits that are available now; below 0 after a reduction. */
  availablePermits(): Promise<number>;
  /**
   * Acquires all available permits. @returns their number; a negative number of available permits is reset to
   * 0
   */
  drainPermits(): Promise<number>;
  /** Raises the number of permits; a negative value lowers it, also below 0. Throws like {@link release}. */
  addPermits(permits: number): Promise<void>;
  /**
   * Deletes the semaphore. Waiting callers keep waiting until the semaphore is created again. @returns
   * whether the semaphore existed
   */
  delete(): Promise<boolean>;
}

/**
 * A semaphore with a lease for each permit, so that the permits of a process that dies become available
 * again. A permit is held like a lock: by a handle, renewed by the watchdog unless it has a fixed
 * `leaseTime`. `handle.holder` is the permit id as Redisson's clients see it, 32 hex characters.
 *
 * Every method throws `LockUnavailableError` if Redis does not answer or refuses the command.
 */
export interface PermitExpirableSemaphore {
  /** The name of the semaphore, without the prefix of the module. */
  readonly name: string;
  /**
   * Creates the semaphore with that number of permits, unless it exists. @returns `false` if the semaphore
   * exists
   */
  trySetPermits(permits: number): Promise<boolean>;
  /** Sets the total number of permits, including acquired ones. */
  setPermits(permits: number): Promise<void>;
  /** Raises the number of permits; a negative value lowers it, also below 0. */
  addPermits(permits: number): Promise<void>;
  /**
   * Waits for a permit.
   * @throws LockNotAcquiredError if no permit was acquired within `waitTime`
   */
  acquire(options?: LockOptions): Promise<LockHandle>;
  /**
   * Acquires a permit if one becomes available within `waitTime` (default 0).
   * @returns `null` only if no permit is available. If Redis is unavailable, the call rejects.
   */
  tryAcquire(options?: LockOptions): Promise<LockHandle | null>;
  /**
   * Acquires a permit, runs `work`, and releases the permit. A nested call acquires another permit.
   * @throws LockNotAcquiredError if no permit was acquired within `waitTime`
   */
  using<T>(work: (handle: LockHandle) => WorkResult<T>, options?: UsingOptions): Promise<T>;
  /**
   * Releases a permit by its id, in any process: for a permit that was passed on to another process. If the
   * permit is held in this process, the signal of its handle is aborted.
   * @returns `false` if the permit is unknown, or its lease has ended
   */
  tryRelease(permitId: string): Promise<boolean>;
  /**
   * Sets the lease of a permit by its id, from now on; also to a shorter one. For a permit that this process
   * holds, use its handle.
   * @returns `false` if the permit is unknown, or its lease has ended
   */
  updateLeaseTime(permitId: string, leaseTime: Duration): Promise<boolean>;
  /**
   * The remaining lease of a permit in ms: -1 if the permit has no lease, -2 if the permit is unknown or its
   * lease has ended.
   */
  getLeaseTime(permitId: string): Promise<number>;
  /** The number of permits that are available now; below 0 after a reduction. */
  availablePermits(): Promise<number>;
  /** The number of acquired permits. */
  acquiredPermits(): Promise<number>;
  /** The total number of permits. */
  getPermits(): Promise<number>;
  /**
   * Deletes the semaphore and the leases of its permits: their holders lose them. @returns whether the
   * semaphore existed
   */
  delete(): Promise<boolean>;
}
