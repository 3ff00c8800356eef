/**
 * How a run, or a tick that was not run, ended. `handed-over`: shutdown stopped the run, and another instance makes the next
 * attempt. `paused`: the job was paused. `unknown`: a newer version of this library has written it; the reason says what.
 */
export type TickOutcome =
  | 'running'
  | 'completed'
  | 'failed'
  | 'crashed'
  | 'handed-over'
  | 'overlapped'
  | 'missed'
  | 'paused'
  | 'unknown';

/** One row of a job's record: a run, or a tick that nobody ran, with its reason. */
export interface TickRecord {
  /** The nominal instant, epoch ms. For an interval: the start by the store's clock. */
  readonly tick: number;
  /** What became of it. */
  readonly outcome: TickOutcome;
  /** 1 for the first run of the tick; 0 for a tick that was not run. */
  readonly attempt: number;
  /** The application that ran it, or that noticed. */
  readonly app: string;
  /** Host and process that ran it: `<host>:<pid>:<client id>`. */
  readonly instance: string;
  /** Start by the store's clock, epoch ms. */
  readonly start: number;
  /** End by the store's clock, epoch ms; absent while it runs and for a run that died. */
  readonly end?: number;
  /** The error of a failed run, or why a tick was not run. */
  readonly reason?: string;
  /** For `missed` and `paused`: the last instant before the gap, so that the row stands for every instant in between. */
  readonly after?: number;
  /** For a run that was asked for by hand: the instance that asked. Its `tick` is the instant at which it began. */
  readonly requestedBy?: string;
  /** The fencing token of the run, rising from run to run. */
  readonly token?: string;
}

/** What happened to a claim. Every value but `granted` means: do not run now. */
export type TickVerdict =
  'granted' | 'taken' | 'overlapped' | 'missed' | 'early' | 'stale' | 'queued' | 'paused';

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
}
