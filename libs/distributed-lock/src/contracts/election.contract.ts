/** What a candidate is told. Both run in the async context in which `elect` was called, in the scope of the leader's lock. */
export interface ElectionCallbacks {
  /**
   * It leads from now on, each time that it is elected. May be as long as the leadership, such as a loop that ends when `signal`
   * aborts; an earlier end is no resignation. One that fails is logged, and gives the leadership up; the candidate stands again
   * after a pause of 1 s, which doubles up to 30 s while that goes on.
   * @param signal aborted, with a `LockLostError` as reason, before Redis can let another leader in
   * @param token higher than that of every leader before: give it to what is written (see docs/fencing.md)
   */
  readonly onElected?: ((signal: AbortSignal, token: bigint) => unknown) | undefined;
  /**
   * It leads no more: once for each leadership, right after `signal` was aborted. Where the lock is not lost yet, it is kept until
   * this, `onElected`, and the running calls of `@LeaderOnly` have ended, for `shutdownTimeout` at most. What fails here is logged.
   * @param reason that of `signal`
   */
  readonly onRevoked?: ((reason: Error) => unknown) | undefined;
}

/**
 * One candidate for the leadership of a key. It waits for the lock of that name, keeps it for as long as the process lives, and
 * stands again when it was lost. Several candidates of one key in one process are rivals like any others.
 */
export interface Election extends AsyncDisposable {
  /** What is led: the name of the lock, without the module's prefix. */
  readonly key: string;
  /**
   * Whether this candidate leads, by the monotonic clock: false before Redis can let another leader in, also at the first instruction
   * after the process stood still.
   */
  readonly isLeader: boolean;
  /** The fencing token of its leadership; undefined while it does not lead. */
  readonly token: bigint | undefined;
  /**
   * Gives the leadership up, if it has it, and stands again half a second later, so that others come first. Resolves when the lock
   * is free: once the leader's work has ended, or after `shutdownTimeout`. Called by that work, it does not wait for it.
   */
  resign(): Promise<void>;
  /** Leaves for good: resigns, or stops waiting. Idempotent; the application's shutdown does the same. */
  stop(): Promise<void>;
}
