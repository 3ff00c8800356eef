import type { Observable } from 'rxjs';
import type { Duration } from './duration.js';

/** What every acquisition can be told. */
export interface LockOptions {
  /**
   * How long to wait for the lock, in ms or as a duration. `0` asks once.
   * @default no bound for `lock()` and `using()`, 0 for `tryLock()`, the decorator and the interceptor
   */
  readonly waitTime?: Duration | undefined;
  /**
   * A fixed lease (at least 100 ms). It is never renewed: the lock is free again when it ends, whatever the work does.
   * Redis is asked every third of it, or of the `lockWatchdogTimeout` where that is shorter, whether it is still there. A waiter to
   * whom another one of its process hands the lock has at least 99 % of it.
   * @default none: the watchdog renews the lease for as long as the hold lives
   */
  readonly leaseTime?: Duration | undefined;
  /** Aborting it ends the wait; the call rejects with the signal's reason and leaves nothing behind. */
  readonly signal?: AbortSignal | undefined;
}

/** What `using` takes beside {@link LockOptions}. */
export interface UsingOptions extends LockOptions {
  /**
   * What the caller learns when the lease was lost while the work ran. `signal`: the work's own result or error stands,
   * and the handle's signal is aborted. `throw`: a work that ended well rejects with a `LockLostError`.
   * @default 'signal'
   */
  readonly onLost?: 'signal' | 'throw' | undefined;
}

/**
 * What an unlock did. `released`: this holder has it no more, so that it is free; of a read/write lock this side of it, while other
 * readers, or its own other side, may still have theirs. `kept`: an enclosing or sibling acquisition of the same holder
 * still holds it. `lost`: the lease had ended or was taken away before; nothing was changed in Redis.
 */
export type UnlockOutcome = 'released' | 'kept' | 'lost';

/** One acquisition. The handle is the only way to release it. */
export interface LockHandle extends AsyncDisposable {
  /** The lock's name, without the module's prefix. */
  readonly name: string;
  /** The holder id on the wire: `<client uuid>:<integer>`. */
  readonly holder: string;
  /** The newest fencing token of the hold, for kinds that give one. */
  readonly token: bigint | undefined;
  /**
   * Aborted with a `LockLostError` as reason before Redis can let another holder in, and when the handle is unlocked (code `RELEASED`):
   * work that goes on after its lock learns it. What the signal was given to is cancelled with it, such as a body of `fetch` that has not
   * been read. Made when it is first read.
   */
  readonly signal: AbortSignal;
  /** Whether the lease is surely alive, by the monotonic clock; false as well while that is unknown after a suspend. */
  readonly isHeld: boolean;
  /** @throws LockLostError when {@link isHeld} is false. */
  assertHeld(): void;
  /**
   * Raises the lease to at least `leaseTime` from now; never shortens it. A hold with a fixed lease moves its deadline;
   * a watchdog hold goes on being renewed.
   * @returns false when the lock is not held any more
   * @throws LockUnavailableError when Redis does not answer
   */
  extend(leaseTime: Duration): Promise<boolean>;
  /**
   * Releases this acquisition. Idempotent: a second call gives the first one's answer. Never throws because the lease was lost.
   * @throws LockUnavailableError when Redis does not answer; the release then goes on in the background until the lease is over
   */
  unlock(): Promise<UnlockOutcome>;
  /**
   * Runs `work` in a scope that holds the lock: acquisitions of the same lock inside re-enter. Does not unlock: what `work` gives comes
   * back as it is, and the lock is held until {@link unlock}.
   */
  run<T>(work: () => T): T;
  /** What a log line needs of the handle; the token as text, as JSON has no bigint. */
  toJSON(): LockHandleJson;
}

/** A handle as it is logged. */
export interface LockHandleJson {
  /** The lock's name, without the module's prefix. */
  readonly name: string;
  /** The holder id on the wire. */
  readonly holder: string;
  /** Whether the lease was surely alive when the handle was logged. */
  readonly isHeld: boolean;
  /** The newest fencing token of the hold, in decimal digits; absent for kinds that give none. */
  readonly token?: string;
}

/** What work may give that comes to the result `T`: the value, or a promise or an Observable of it. */
export type WorkResult<T> = T | Observable<T> | PromiseLike<T | Observable<T>>;

/** What can be held: a lock, or several as one. The object is light: it holds nothing, and two of one name are the same lock. */
export interface Lockable<H extends LockHandle = LockHandle> {
  /** The lock's name, without the module's prefix; of several locks all names, as in `account:1, account:2`. */
  readonly name: string;
  /**
   * Waits for the lock.
   * @throws LockNotAcquiredError when `waitTime` is over and somebody else has it
   * @throws LockUnavailableError when `waitTime` is over and Redis could not be asked
   */
  lock(options?: LockOptions): Promise<H>;
  /**
   * Takes the lock if it can be had within `waitTime` (default 0).
   * @returns null when somebody else has it; never because Redis is away
   * @throws LockUnavailableError when Redis could not be asked
   */
  tryLock(options?: LockOptions): Promise<H | null>;
  /**
   * Runs `work` while holding the lock, in a scope in which the lock is re-entrant, and releases it when the work has ended: a stream,
   * an async generator or a process that it gives is the caller's, and holds the lock until its own end (see docs/locks.md). An Observable
   * is subscribed to in the scope of the lock: its last value is the result, or undefined where it completes without one.
   * The work's own result or error always stands (see {@link UsingOptions.onLost}).
   * @throws LockConfigurationError `NOT_ASYNC` for a generator, or another iterator
   */
  using<T>(work: (handle: H) => WorkResult<T>, options?: UsingOptions): Promise<T>;
  /** Whether the calling scope holds the lock, by this process's own books and clock. */
  isHeld(): boolean;
}

/** A lock by name. */
export interface Lock<H extends LockHandle = LockHandle> extends Lockable<H> {
  /** Whether anybody holds the lock, by Redis. */
  isLocked(): Promise<boolean>;
  /** How many acquisitions of the calling scope's holder the lock counts, by Redis; 0 outside a hold. */
  getHoldCount(): Promise<number>;
  /** What is left of the lease in ms, whoever holds it: -2 when the lock is free, -1 when it has no lease (as Redisson says it). */
  remainTimeToLive(): Promise<number>;
  /**
   * Frees the lock whoever holds it, and wakes a waiter. The holder is not asked: it learns of the loss at its next renewal.
   * @returns whether there was a lock to free
   */
  forceUnlock(): Promise<boolean>;
}

/** The handle of a fenced lock. */
export interface FencedLockHandle extends LockHandle {
  /** The newest token of the hold, a re-entry's included. */
  readonly token: bigint;
}

/** A lock whose every grant, a re-entry included, comes with a fencing token that is higher than all before. */
export interface FencedLock extends Lock<FencedLockHandle> {
  /**
   * The newest token that was given, whoever got it.
   * @returns undefined before the first grant
   * @throws LockUnavailableError when Redis could not be asked
   */
  getToken(): Promise<bigint | undefined>;
}

/** Two locks of one name: many may read, or one may write. */
export interface ReadWriteLock {
  /** The name of both sides, without the module's prefix. */
  readonly name: string;
  /** Shared by readers. A scope that writes may read as well, and goes on reading when it stops writing. */
  readLock(): Lock;
  /** Excludes everybody. A scope that only reads cannot take it: it is refused at once, with `UPGRADE`. */
  writeLock(): Lock;
}

/** The handle that a decorated method, an interceptor or a `using` runs under; a tick's has its instant and attempt. */
export interface CurrentLock extends LockHandle {
  /** For a tick: the nominal instant, in epoch ms by the schedule. */
  readonly tick: number | undefined;
  /** For a tick: 1 for its first run. */
  readonly attempt: number | undefined;
}
