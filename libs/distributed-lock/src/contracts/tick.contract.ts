/**
 * The outcome of a run, or of a tick that did not run:
 *
 * - `running`: the run has not ended.
 * - `completed`: the run ended without an error.
 * - `failed`: the run threw an error; or the tick was claimed, but a decorator above `@DistributedLock` then did not
 * call the method; or a shutdown stopped the run of a job with `onCrash: 'skip'`.
 * - `crashed`: the process of the run died, or the run lost its lock otherwise.
 * - `abandoned`: as `crashed`, and `maxAttempts` allows no more runs.
 * - `handed-over`: a shutdown stopped the run, and another instance makes the next attempt.
 * - `overlapped`: an earlier run or another holder had the lock.
 * - `missed`: no instance claimed the tick in time.
 * - `paused`: the job was paused.
 * - `unknown`: written by a newer version of this library; see `reason`.
 */
export type TickOutcome =
  | 'running'
  | 'completed'
  | 'failed'
  | 'crashed'
  | 'abandoned'
  | 'handed-over'
  | 'overlapped'
  | 'missed'
  | 'paused'
  | 'unknown';

/** One record of a job: a run, or a tick that did not run. */
export interface TickRecord {
  /**
   * When the tick was due, in epoch ms. For a tick of an interval: when its first attempt was claimed, by the clock of
   * Redis.
   */
  readonly tick: number;
  /** The outcome. */
  readonly outcome: TickOutcome;
  /** The number of the run: 1 for the first; 0 for a tick that did not run. */
  readonly attempt: number;
  /** The application of {@link instance}. */
  readonly app: string;
  /**
   * The instance that ran the tick, or that recorded why it did not run: `<host>:<pid>:<client id>`. The record of a
   * pause is written when the job is resumed: for the outcome `paused`, this is who resumed it, written as in {@link
   * JobStatus.pausedBy}.
   */
  readonly instance: string;
  /** The start by the clock of Redis, in epoch ms. For a tick that did not run: when the record was written. */
  readonly start: number;
  /**
   * The end by the clock of Redis, in epoch ms; absent for a current run, and for one that is `crashed` or
   * `abandoned`.
   */
  readonly end?: number;
  /** The error of a failed run, or why a tick did not run. */
  readonly reason?: string;
  /**
   * For `missed`, `paused` and `overlapped`: the record covers all ticks that were due later than `after` (epoch ms),
   * up to and including `tick`. Absent if the record covers `tick` alone.
   */
  readonly after?: number;
  /** The number of ticks that the record covers since {@link after}, if that is known. */
  readonly count?: number;
  /** For a run by `runNow()`: the instance, or the operator, that requested it. `tick` is then the start of the run. */
  readonly requestedBy?: string;
  /** The fencing token of the run, in decimal digits; higher for each run. */
  readonly token?: string;
}

/** What happened to a claim. Every value but `granted` means: do not run now. */
export type TickVerdict =
  | 'granted'
  | 'taken'
  | 'overlapped'
  | 'missed'
  | 'early'
  | 'stale'
  | 'queued'
  | 'paused';

/** What becomes of a tick whose run died or was stopped, or that finds the lock held. Times in ms. */
export interface TickPolicies {
  readonly onCrash: 'skip' | 'retry';
  readonly overlap: 'skip' | 'queue';
  /** How long a tick that was handed over waits for an instance under `onCrash: 'skip'`. */
  readonly grace: number;
  /** The longest a run may last; undefined: the module's. */
  readonly maxHold?: number | undefined;
  /** For an interval: the least time between two starts. */
  readonly gap?: number | undefined;
  /** For an interval: how long after a start the next one is due. */
  readonly period?: number | undefined;
  /** Under `onCrash: 'retry'`: how many runs of a tick may crash; undefined: any number. */
  readonly attempts?: number | undefined;
  /** How many records Redis keeps of the job; undefined: as many as its record says. */
  readonly history?: number | undefined;
  /**
   * Whether the other instances are notified of a queued run, and of a run that they may have to repeat. Without a
   * message they would notice at their own next tick, which may be too late.
   */
  readonly isAnnounced?: boolean | undefined;
}
