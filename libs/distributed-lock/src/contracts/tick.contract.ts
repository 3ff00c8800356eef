/** How a run, or a tick that was not run, ended. */
export type TickOutcome = 'running' | 'completed' | 'failed' | 'crashed' | 'overlapped' | 'missed';

/** One row of a job's record: a run, or a tick that nobody ran, with its reason. */
export interface TickRecord {
  /** The nominal instant, epoch ms. For an interval: the start by the store's clock. */
  readonly tick: number;
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
  /** For `missed`: the last instant before the gap, so that the row stands for every instant in between. */
  readonly after?: number;
  /** The fencing token of the run, rising from run to run. */
  readonly token?: string;
}

/** What happened to a claim. Every value but `granted` means: do not run. */
export type TickVerdict = 'granted' | 'taken' | 'overlapped' | 'missed' | 'early' | 'stale';
