/**
 * The callbacks of a candidate. Both run in the async context of the call of `elect()`, in the scope of the
 * leader's lock.
 */
export interface ElectionCallbacks {
  /**
   * Called each time that the candidate is elected. It may last as long as the leadership, such as a loop until
   * `signal` aborts; an earlier return does not resign. If it fails, the error is logged, the leadership ends,
   * and the candidate campaigns again after a pause of 1 s, which doubles up to 30 s with each further failure.
   * @param signal aborted, with a `LockLostError` as its reason, before Redis can let another candidate lead
   * @param token the fencing token, higher than the tokens of all earlier leaders. Pass it to your writes: see
   * docs/fencing.md
   */
  readonly onElected?: ((signal: AbortSignal, token: bigint) => unknown) | undefined;
  /**
   * Called once at the end of each leadership, right after `signal` was aborted. The lock, unless it is lost,
   * is released when this callback, `onElected` and the running calls of `@LeaderOnly` have ended, but not
   * later than after `shutdownTimeout`. An error of this callback is logged.
   * @param reason the reason of `signal`
   */
  readonly onRevoked?: ((reason: Error) => unknown) | undefined;
}

/**
 * One candidate for the leadership of a key. It waits for the lock of that name, keeps the lock for as long
 * as the process lives, and campaigns again after the lock was lost. Several candidates of one key in one
 * process compete like candidates of several processes.
 */
export interface Election extends AsyncDisposable {
  /** The key of the election: the name of the lock, without the prefix of the module. */
  readonly key: string;
  /**
   * Whether this candidate leads. Becomes `false` before Redis can elect another candidate, even if the
   * process was blocked or suspended.
   */
  readonly isLeader: boolean;
  /** The fencing token of the leadership; `undefined` while this candidate does not lead. */
  readonly token: bigint | undefined;
  /**
   * Resigns the leadership, if this candidate leads, and campaigns again after half a second, so that other
   * candidates come first. Resolves when the lock is released, that is when the work of the leader has ended,
   * or after `shutdownTimeout`. A `resign()` inside the work of the leader does not wait for that work.
   */
  resign(): Promise<void>;
  /**
   * Leaves the election: resigns, or stops waiting. Idempotent. The shutdown of the application does the
   * same.
   */
  stop(): Promise<void>;
}
