/**
 * The callbacks of a candidate. Both run in the `AsyncLocalStorage` context of the `elect()` call, and inside
 * the lock of the leader, so `currentLock()` returns its handle.
 */
export interface ElectionCallbacks {
  /**
   * Called each time that the candidate is elected. The callback may run until the leadership ends, for example in a
   * loop until `signal` aborts. If it returns earlier, this candidate still leads. If it fails, the error is logged,
   * and the leadership ends. The candidate campaigns again after 1 s ± 25 %. Each further failure doubles this pause,
   * up to 30 s ± 25 %.
   * @param signal aborted, with a `LockLostError` as its reason, before Redis can let another candidate lead;
   * for late aborts see `LockHandle.signal`
   * @param token the fencing token, higher than the tokens of all earlier leaders. Pass it to your writes: see
   * docs/fencing.md
   */
  readonly onElected?: ((signal: AbortSignal, token: bigint) => unknown) | undefined;
  /**
   * Called once at the end of each leadership, right after `signal` was aborted. The lock stays held until
   * `onElected`, `onRevoked` and all running `@LeaderOnly` calls have ended, but for at most `shutdownTimeout`. Then
   * it is released, unless it was lost. An error of this callback is logged.
   * @param reason the reason of `signal`
   */
  readonly onRevoked?: ((reason: Error) => unknown) | undefined;
}

/**
 * One candidate for the leadership of a key. It waits for the lock with the name `key`, and keeps it until
 * `resign()`, `stop()`, a failure of `onElected`, or the shutdown of the application. It campaigns again after
 * `resign()`, a failure, or a loss of the lock. Several candidates of one key in one process compete like
 * candidates of several processes. `await using` calls {@link stop} at the end of the block.
 */
export interface Election extends AsyncDisposable {
  /** The key of the election: the name of the lock, without the prefix of the module. */
  readonly key: string;
  /**
   * Whether this candidate leads. Becomes `false` before Redis can elect another candidate, even if the process
   * was blocked or suspended. After a forced unlock by another `LockService`, or a loss of data in Redis, it
   * becomes `false` at the next renewal.
   */
  readonly isLeader: boolean;
  /** The fencing token of the leadership; `undefined` while this candidate does not lead. */
  readonly token: bigint | undefined;
  /**
   * Resigns the leadership, and campaigns again after half a second ± 25 %, so that other candidates come first. Does
   * nothing if this candidate does not lead. Resolves when the lock is released, that is when the work of the leader
   * has ended, or after `shutdownTimeout`. A `resign()` inside the work of the leader does not wait for that work.
   * Never rejects.
   */
  resign(): Promise<void>;
  /**
   * Leaves the election: resigns as {@link resign} does, or stops waiting. Resolves when the candidate has left.
   * Idempotent. The shutdown of the application does the same. Never rejects.
   */
  stop(): Promise<void>;
}
