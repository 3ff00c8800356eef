import type { Duration } from './duration.js';
import type { TickRecord } from './tick.contract.js';

/** The state of a job in Redis. Instants in epoch ms by the store's clock. */
export interface JobStatus {
  /** The last tick that was decided; for an interval the last start. `undefined` before the first tick. */
  readonly mark: number | undefined;
  /** When the job was paused; `undefined` if the job is not paused. */
  readonly paused: number | undefined;
  /** The tick that runs as soon as the lock is free. */
  readonly queued: number | undefined;
  /** The tick that an instance handed over at its shutdown and that no other instance has started yet. */
  readonly handedOver: number | undefined;
  /** The current run. */
  readonly running: TickRecord | undefined;
  /**
   * The number of runs and ticks by outcome since the job was registered. A gap of several missed ticks
   * counts once.
   */
  readonly counts: Readonly<Record<'completed' | 'failed' | 'crashed' | 'overlapped' | 'missed', number>>;
  /** The application that registered the job last. */
  readonly app: string | undefined;
  /** The schedule of the job at that registration. */
  readonly schedule: string | undefined;
}

/** Options of {@link JobControl.runNow}. */
export interface RunNowOptions {
  /** How long to wait for an instance that starts the run. @default '10s' */
  readonly timeout?: Duration | undefined;
}

/** Options of {@link JobControl.forget}. */
export interface ForgetOptions {
  /** Also removes a job that is running; the end of that run is then not recorded. @default false */
  readonly force?: boolean | undefined;
}

/**
 * Controls the scheduled jobs of the whole fleet by their keys. Works from any process with the same Redis
 * and `namePrefix`, even if that process has none of the jobs. For a job without a record in Redis, `status`
 * returns `undefined`; the other methods reject with a `LockConfigurationError` of code `UNKNOWN_JOB` and
 * write nothing.
 *
 * Every method throws `LockUnavailableError` if Redis does not answer or refuses the command.
 */
export interface JobControl {
  /**
   * Pauses the job on all instances. Its ticks do not run and are recorded once as a gap. A current run
   * continues. Direct calls and {@link runNow} still work. Instances with an older
   * version of this library, which cannot pause jobs, keep running the job.
   * @returns `false` if the job was already paused
   */
  pause(job: string): Promise<boolean>;
  /**
   * Resumes the job. Ticks that passed during the pause do not run. @returns `false` if the job was not
   * paused
   */
  resume(job: string): Promise<boolean>;
  /**
   * Runs the job once now, on one instance where the job is active; also while the job is paused. Waits for
   * the lock up to `timeout`. A call joins an earlier call that still waits. An instance on which the job is
   * off (disabled, stopped, deleted, or not started) never runs it.
   * @returns `true` once the run has begun; `false` if it has not begun by `timeout`. `false` comes earlier if
   * the granted run cannot begin: a decorator above `@DistributedLock` skips the call, or the instance died
   * and `onCrash` is `'skip'`
   */
  runNow(job: string, options?: RunNowOptions): Promise<boolean>;
  /**
   * Removes the record of a job that no longer exists. If a schedule still has the job, the job starts with a
   * new record, as after a loss of data.
   * @param options `force` also removes a job that is running; the end of that run is then not recorded
   * @returns `false` if the job is running
   */
  forget(job: string, options?: ForgetOptions): Promise<boolean>;
  /** Returns the state of a job. @returns `undefined` for a job without a record in Redis */
  status(job: string): Promise<JobStatus | undefined>;
}
