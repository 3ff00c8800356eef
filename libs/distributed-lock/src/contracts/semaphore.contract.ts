import type { Duration } from './duration.js';
import type { LockHandle, LockOptions, UsingOptions, WorkResult } from './lock.contract.js';

/** What a wait for permits, or for a latch, can be told. */
export interface WaitOptions {
  /**
   * How long to wait, in ms or as a duration. `0` asks once.
   * @default no bound; 0 for `tryAcquire()`
   */
  readonly waitTime?: Duration | undefined;
  /** Aborting it ends the wait; the call rejects with the signal's reason and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
}

/** What `using` of a semaphore can be told. */
export interface PermitsOptions extends WaitOptions {
  /** How many permits the work needs. @default 1 */
  readonly permits?: number | undefined;
}

/** The permits that a `using` has taken. */
export interface TakenPermits {
  /** The semaphore's name, without the module's prefix. */
  readonly name: string;
  /** How many permits the work has. */
  readonly permits: number;
  /**
   * Aborted when the application shuts down and the work has had its time: its permits are about to be given back; and when they are
   * given back.
   */
  readonly signal: AbortSignal;
}

/**
 * A number of permits that the whole fleet shares, Redisson's clients included. It knows no holders: whoever takes permits has to give
 * them back, and those of a process that dies are lost until somebody adds them again. Where that must not be, take a
 * {@link PermitExpirableSemaphore}. A number of permits is a whole number up to 2147483647.
 *
 * Every method throws `LockUnavailableError` when Redis could not be asked.
 */
export interface Semaphore {
  /** The semaphore's name, without the module's prefix. */
  readonly name: string;
  /**
   * Makes the semaphore with that many permits, unless there is one. Until then nobody gets any.
   * @param timeToLive after which the semaphore is gone. @default none
   * @returns false when there is one
   */
  trySetPermits(permits: number, timeToLive?: Duration): Promise<boolean>;
  /**
   * Waits for permits, and takes all of them at once. Callers of one process are served in the order in which they came.
   * @param permits default 1
   * @throws LockNotAcquiredError when `waitTime` is over
   */
  acquire(permits?: number, options?: WaitOptions): Promise<void>;
  /**
   * Takes permits if they can be had within `waitTime` (default 0).
   * @param permits default 1
   * @returns false when there are not enough of them; never because Redis is away
   */
  tryAcquire(permits?: number, options?: WaitOptions): Promise<boolean>;
  /**
   * Gives permits back, or more than there were: nobody counts. Makes the semaphore when there is none.
   * @param permits default 1
   * @throws LockUnavailableError when Redis does not answer; the release then goes on in the background, so do not repeat it
   */
  release(permits?: number): Promise<void>;
  /** Like {@link release}, but does nothing when there is no semaphore. @returns whether there is one */
  releaseIfExists(permits?: number): Promise<boolean>;
  /**
   * Runs `work` with permits, and gives them back when it has ended, as `Lockable.using` does. The work's own result or error always stands; a release that Redis did
   * not answer goes on in the background.
   * @throws LockNotAcquiredError when `waitTime` is over
   */
  using<T>(work: (taken: TakenPermits) => WorkResult<T>, options?: PermitsOptions): Promise<T>;
  /** How many permits could be had now; below 0 after a reduction. */
  availablePermits(): Promise<number>;
  /** Takes all permits that are available. @returns how many; a negative number of them becomes 0 */
  drainPermits(): Promise<number>;
  /** Raises the number of permits, or lowers it when `permits` is negative, below 0 too. Fails like {@link release}. */
  addPermits(permits: number): Promise<void>;
  /** Deletes the semaphore; whoever waits goes on waiting until there is one again. @returns whether there was one */
  delete(): Promise<boolean>;
}

/**
 * A semaphore whose permits have a lease each, so that those of a process that dies come back. A permit is held like a lock: by a handle,
 * renewed by the watchdog unless it has a fixed `leaseTime`; its `holder` is the permit id that Redisson's clients see, 32 hex characters.
 *
 * Every method throws `LockUnavailableError` when Redis could not be asked.
 */
export interface PermitExpirableSemaphore {
  /** The semaphore's name, without the module's prefix. */
  readonly name: string;
  /** Makes the semaphore with that many permits, unless there is one. @returns false when there is one */
  trySetPermits(permits: number): Promise<boolean>;
  /** Sets how many permits there are in all, those included that are taken. */
  setPermits(permits: number): Promise<void>;
  /** Raises the number of permits, or lowers it when `permits` is negative, below 0 too. */
  addPermits(permits: number): Promise<void>;
  /** Waits for a permit. @throws LockNotAcquiredError when `waitTime` is over */
  acquire(options?: LockOptions): Promise<LockHandle>;
  /** Takes a permit if one can be had within `waitTime` (default 0). @returns null when there is none; never because Redis is away */
  tryAcquire(options?: LockOptions): Promise<LockHandle | null>;
  /** Runs `work` with a permit, and gives it back afterwards. Inside, another call takes another permit. */
  using<T>(work: (handle: LockHandle) => WorkResult<T>, options?: UsingOptions): Promise<T>;
  /**
   * Gives a permit back by its id, whoever took it: for a permit that was handed on to another process. Its holder, if it is of this
   * process, is told by its signal.
   * @returns false when the permit is unknown, or its lease was over
   */
  tryRelease(permitId: string): Promise<boolean>;
  /**
   * Gives a permit a lease, from now on, by its id; a shorter one, too. For a permit that this process holds, use its handle.
   * @returns false when the permit is unknown, or its lease was over
   */
  updateLeaseTime(permitId: string, leaseTime: Duration): Promise<boolean>;
  /** What is left of a permit's lease in ms: -1 when it has no end, -2 when the permit is unknown or its lease was over. */
  getLeaseTime(permitId: string): Promise<number>;
  /** How many permits could be had now; below 0 after a reduction. */
  availablePermits(): Promise<number>;
  /** How many permits are taken. */
  acquiredPermits(): Promise<number>;
  /** How many permits there are in all. */
  getPermits(): Promise<number>;
  /** Deletes the semaphore and the leases of its permits: their holders have nothing any more. @returns whether there was one */
  delete(): Promise<boolean>;
}
