import type { Duration } from './duration.js';
import type { TickRecord } from './tick.contract.js';

/** The state of a job in Redis. Instants in epoch ms by the clock of Redis. */
export interface JobStatus {
  /**
   * The due time of the newest tick that was started, queued or skipped, in epoch ms. No new tick up to this time is
   * started. If there was no such tick yet: the last time at which the schedule was due before the first registration
   * of the job, or `0` for a `@Timeout` or a `@Cron` with a `Date`. For an interval: the time of the latest start or
   * skip; if there was none, the time of the registration. `undefined` if Redis has lost a part of the state of the
   * job.
   */
  readonly mark: number | undefined;
  /**
   * When the next tick is due, in epoch ms; with `splay`: when it starts. A time in the past means that the tick is
   * due, and that no instance has claimed it yet. For an interval: the last start plus the period. `undefined` if
   * there is no next tick, as for a cron expression with 30 February. Also `undefined` if it is unknown: for
   * `@Timeout()`, `@Cron` with a `Date`, a job of `runOnce()`, and a job whose last tick was claimed by an older
   * version of this library. With `shared: true`, `next` follows the schedule of one method: the one that last
   * registered the job or claimed a tick.
   */
  readonly next: number | undefined;
  /** When the job was paused, in epoch ms; `undefined` if the job is not paused. */
  readonly paused: number | undefined;
  /**
   * What paused the job. A call of `pause()`: `<host>:<pid>:<client id>`. The command line: `<user>@<host> (command
   * line)`. The dashboard: the name that its option `userOf` returns; if it returns none, `(dashboard of
   * <host>:<pid>)`. `undefined` if the job is not paused.
   */
  readonly pausedBy: string | undefined;
  /** The tick that runs as soon as the lock is free, in epoch ms; `undefined` if there is none. */
  readonly queued: number | undefined;
  /**
   * The tick, in epoch ms, that an instance handed over at its shutdown and that no other instance has started
   * yet; `undefined` if there is none.
   */
  readonly handedOver: number | undefined;
  /** The current run; `undefined` if the job is not running. */
  readonly running: TickRecord | undefined;
  /**
   * The newest run that has ended, with any outcome. `undefined` if the newest 50 records (in {@link
   * JobControl.list}: 10) have no such run.
   */
  readonly lastRun: TickRecord | undefined;
  /** When a run last ended with the outcome `completed`, in epoch ms; `undefined` if none has. */
  readonly lastSuccess: number | undefined;
  /**
   * The number of runs and ticks by outcome since the job was first registered. If one record stands for several
   * ticks, each of them counts. A record of an unknown number of ticks counts as one.
   */
  readonly counts: Readonly<
    Record<'completed' | 'failed' | 'crashed' | 'abandoned' | 'overlapped' | 'missed', number>
  >;
  /** The application that registered the job last; `undefined` for a job of `runOnce()`. */
  readonly app: string | undefined;
  /** The schedule of the job at its last registration; `undefined` for a job of `runOnce()`. */
  readonly schedule: string | undefined;
}

/** A job in the list of all jobs, and its state. */
export interface ListedJob extends JobStatus {
  /** The name of the job: its key in the application. */
  readonly job: string;
  /** The key of its lock in Redis. */
  readonly key: string;
}

/** Options of {@link JobControl.list}. */
export interface ListOptions {
  /** The maximum number of jobs, from 1 to 10,000. @default 1000 */
  readonly limit?: number | undefined;
}

/** Options of `LockService.getRuns()`. */
export interface RunsOptions {
  /** The maximum number of records, from 1 to 10,000. @default all that Redis keeps of the job: see the option `history` */
  readonly limit?: number | undefined;
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
 * Controls the scheduled jobs of the whole fleet by their keys. Works from any process with the same Redis and
 * `namePrefix`, even if that process has none of the jobs. For a job that Redis does not know, `status` returns
 * `undefined`, and the other methods for one job reject with `UNKNOWN_JOB`. In a process that has the job, `pause`,
 * `resume` and `runNow` register it instead of rejecting, and then do their work. A method rejects with
 * `INVALID_NAME` if the key is not a valid lock name, and with `KIND_CONFLICT` if the key is in use with another
 * kind.
 */
export interface JobControl {
  /**
   * Pauses the job on all instances. Its ticks do not run; the history has one entry for all of them. A current
   * run continues. Direct calls and {@link runNow} still work. Instances with a version of this library without
   * `pause()` continue to run the job.
   * @returns `false` if the job was already paused
   * @throws LockConfigurationError `UNKNOWN_JOB`
   * @throws LockUnavailableError
   */
  pause(job: string): Promise<boolean>;
  /**
   * Resumes the job. Ticks that passed during the pause are not made up.
   * @returns `false` if the job was not paused
   * @throws LockConfigurationError `UNKNOWN_JOB`
   * @throws LockUnavailableError
   */
  resume(job: string): Promise<boolean>;
  /**
   * Runs the job once, on one instance, as soon as its lock is free. Also runs a paused job. Only an instance whose
   * scheduler runs the job can make the run: not one on which the job has `disabled: true`, or was stopped or deleted
   * in the `SchedulerRegistry`. Waits up to `timeout` until the run starts; then the request is withdrawn. If another
   * `runNow()` of the job already waits, both calls wait for the same run.
   * @returns `true` as soon as the run has started; `false` if it has not started within `timeout`. Resolves to
   * `false` without waiting for `timeout` if an instance was granted the run but cannot start it: a decorator
   * above `@DistributedLock` skipped the call, or the instance died and `onCrash` is `'skip'`
   * @throws LockConfigurationError `UNKNOWN_JOB`, or `INVALID_OPTION` for an invalid `timeout`
   * @throws LockUnavailableError
   */
  runNow(job: string, options?: RunNowOptions): Promise<boolean>;
  /**
   * Removes the state of a job that no longer exists, and the records of its runs. If an instance still has the job,
   * its next tick creates the state again, with an empty history: with `onCrash: 'retry'` this tick runs, otherwise
   * it is recorded as missed.
   * @returns `false` if the job is running and `force` is not set
   * @throws LockConfigurationError `UNKNOWN_JOB`, or `INVALID_OPTION` for an invalid `force`
   * @throws LockUnavailableError
   */
  forget(job: string, options?: ForgetOptions): Promise<boolean>;
  /**
   * Returns up to `limit` jobs of this `namePrefix`, sorted by name: of all applications and instances, even if no
   * instance has the job any more. A job enters the list when an instance registers it. If Redis loses the list, it
   * is soon complete again, because the ticks of a job add the job again, at most once a minute. Up to 10,000 jobs
   * are listed. A job is left out if Redis refuses to read its record. A job that only older versions of this library
   * have is not listed.
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid `limit`
   * @throws LockUnavailableError
   */
  list(options?: ListOptions): Promise<ListedJob[]>;
  /**
   * Returns the state of a job.
   * @returns `undefined` for a job that Redis does not know
   * @throws LockUnavailableError
   */
  status(job: string): Promise<JobStatus | undefined>;
}
