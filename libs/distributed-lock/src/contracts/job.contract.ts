import type { Duration } from './duration.js';
import type { TickRecord } from './tick.contract.js';

/** What Redis knows of a job. Instants in epoch ms by the store's clock. */
export interface JobStatus {
  /** The last tick that has its verdict; for an interval the last start. Undefined before the first one. */
  readonly mark: number | undefined;
  /** Since when the job is paused; undefined when it is not. */
  readonly paused: number | undefined;
  /** The tick that runs as soon as the lock is free. */
  readonly queued: number | undefined;
  /** The tick that an instance has handed over at its shutdown, and that no other one has taken yet. */
  readonly handedOver: number | undefined;
  /** The run under way. */
  readonly running: TickRecord | undefined;
  /** How many runs and ticks ended in which way since the job is known. A gap of several missed ticks counts once. */
  readonly counts: Readonly<Record<'completed' | 'failed' | 'crashed' | 'overlapped' | 'missed', number>>;
  /** The application that registered it last. */
  readonly app: string | undefined;
  /** Its schedule at that time. */
  readonly schedule: string | undefined;
}

/** Options of {@link JobControl.runNow}. */
export interface RunNowOptions {
  /** How long to wait for an instance that takes it. @default '10s' */
  readonly timeout?: Duration | undefined;
}

/** Options of {@link JobControl.forget}. */
export interface ForgetOptions {
  /** Also while it runs: the end of that run is then stored nowhere. @default false */
  readonly force?: boolean | undefined;
}

/**
 * The scheduled jobs of the whole fleet, by their keys: for operators, from any process with the same Redis and `namePrefix`, also
 * one that has none of the jobs. All of it rejects with a `LockUnavailableError` when Redis could not be asked. For a job that Redis does
 * not know `status` gives undefined, and the other methods reject with a `LockConfigurationError` of the code `UNKNOWN_JOB` and write nothing.
 */
export interface JobControl {
  /**
   * From now on no tick of the job is run, whichever instance it is for; ticks pass, and are recorded once as a gap. A run under
   * way goes on. Direct calls and {@link runNow} still work. Instances with a version of this library before pausing do not know it.
   * @returns false when it was paused before
   */
  pause(job: string): Promise<boolean>;
  /** Lets the ticks run again; those that have passed are not made up for. @returns false when it was not paused */
  resume(job: string): Promise<boolean>;
  /**
   * Runs the job once now, on one instance of the fleet that has it on, also while it is paused. Waits for the lock as long as the
   * timeout lasts. A call while another one still waits joins it. An instance where the job is off (disabled, stopped, deleted, not
   * begun) never takes it.
   * @returns true when the run has begun, and only then. False when none had begun by the end of the timeout, and before that when the run
   * that was granted cannot begin: a decorator above the guard keeps the call to itself, or its instance died under `onCrash: 'skip'`
   */
  runNow(job: string, options?: RunNowOptions): Promise<boolean>;
  /**
   * Removes the record and the rows of a job that is gone. One that still has a schedule somewhere begins as with a record that
   * was lost.
   * @param options `force` also while it runs: the end of that run is then stored nowhere
   * @returns false when it runs now
   */
  forget(job: string, options?: ForgetOptions): Promise<boolean>;
  /** @returns undefined for a job that Redis does not know */
  status(job: string): Promise<JobStatus | undefined>;
}
