/**
 * What the server sends to the page of the dashboard. All instants are epoch ms by the clock of Redis, all durations
 * ms. This file has types alone and imports nothing, for the page is compiled for browsers.
 */

/** `GET api/about`: what does not change while the page is open. */
export interface DashboardAbout {
  readonly title: string;
  /** The version of this library. */
  readonly version: string;
  /** The application that serves the page. */
  readonly app: string;
  readonly namePrefix: string;
  /** Whether all actions are refused. */
  readonly isReadOnly: boolean;
  /** The time between two reads of Redis while a page is open. */
  readonly period: number;
}

/** What a page shows: `GET api/events?topic=jobs`, `?topic=job&name=…&records=50`, `?topic=locks&prefix=…`. */
export type DashboardTopic = 'jobs' | 'job' | 'locks';

/** A run, or a tick that did not run, in the history of a job. */
export interface DashboardRun {
  readonly tick: number;
  /** As `TickOutcome`. */
  readonly outcome: string;
  readonly attempt: number;
  readonly app: string;
  /** `<host>:<pid>`. For the outcome `paused`: what resumed the job, an instance or an operator. */
  readonly instance: string;
  readonly start: number;
  readonly end?: number;
  readonly reason?: string;
  /** The first tick of several that the record stands for lies behind this. */
  readonly after?: number;
  /** The number of ticks that the record stands for since `after`, if it is known. */
  readonly count?: number;
  /** `<host>:<pid>` of the process that requested the run, or the name of the operator. */
  readonly requestedBy?: string;
  readonly token?: string;
}

/** A tick in the strip of a job: what is needed to draw it. */
export interface DashboardTick {
  readonly tick: number;
  readonly outcome: string;
  /** From start to end; absent for a tick that did not run or has not ended. */
  readonly took?: number;
}

/** A job of the fleet. */
export interface DashboardJob {
  readonly name: string;
  /** The application that registered the job last; absent for a job of `runOnce()`. */
  readonly app?: string;
  /**
   * The applications whose instances report the job, on or off, by name. Where no instance reports it, the application
   * that registered it last; empty for a job of `runOnce()`.
   */
  readonly apps: readonly string[];
  readonly schedule?: string;
  /** Absent where it is unknown: for a `Date`, a timeout, a job of `runOnce()`. */
  readonly next?: number;
  readonly paused?: number;
  /** `<host>:<pid>` of an instance, or the name of an operator. */
  readonly pausedBy?: string;
  readonly queued?: number;
  readonly handedOver?: number;
  readonly running?: DashboardRun;
  readonly lastRun?: DashboardRun;
  readonly lastSuccess?: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The instances on which the job is on: `<host>:<pid>`; `<app> on <host>:<pid>` where several applications report the job. */
  readonly instances: readonly string[];
  /** Whether instances report at all, so that an empty list of them means that no instance has the job. */
  readonly isFleetKnown: boolean;
  /** The newest 50 ticks, oldest first. */
  readonly strip: readonly DashboardTick[];
}

/** An instance that has reported itself. */
export interface DashboardInstance {
  readonly id: string;
  readonly app: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly started: number;
  readonly seen: number;
  readonly held: number;
  readonly waiting: number;
  /** Up to 50 of its jobs. */
  readonly jobs: readonly { readonly job: string; readonly isOn: boolean }[];
  /** The number of all its jobs, and of those that are on. */
  readonly jobsInAll: number;
  readonly jobsOn: number;
}

/** A leadership of the fleet. */
export interface DashboardLeadership {
  readonly key: string;
  /** `<app> on <host>:<pid>`; absent while there is no leader. */
  readonly leader?: string;
  /** `<app> on <host>:<pid>` of all candidates, the leader's own among them. */
  readonly candidates: readonly string[];
}

/** A holder of a lock. */
export interface DashboardHolder {
  /** As on the wire: `<client uuid>:<integer>`. */
  readonly holder: string;
  /** Hold count. */
  readonly count: number;
  /** `<app> on <host>:<pid>`; absent for a client that does not report. */
  readonly instance?: string;
}

/** A lock, a semaphore or a latch. */
export interface DashboardLock {
  readonly name: string;
  readonly key: string;
  readonly kind: string;
  readonly holders: readonly DashboardHolder[];
  /** Of a semaphore or a latch: its available permits, or its count. */
  readonly left?: number;
  /** Of the lease; -1 without one. */
  readonly ttl: number;
  /** The waiting holders that are known, the next one first. */
  readonly waiters: readonly DashboardHolder[];
  /** The number of waiting processes; absent where Redis does not say. */
  readonly waiting?: number;
}

/** The event `jobs`. The first one of a connection is whole; later ones have what has changed. */
export interface JobsEvent {
  /** The time of Redis when it was read. */
  readonly at: number;
  readonly isWhole: boolean;
  readonly jobs: readonly DashboardJob[];
  /** The names of jobs that are not there any more. */
  readonly gone: readonly string[];
  /** As the jobs: all of them, or those that have changed. */
  readonly instances: readonly DashboardInstance[];
  /** The ids of instances that are not there any more. */
  readonly goneInstances: readonly string[];
  readonly leaderships: readonly DashboardLeadership[];
  /** Whether there are more jobs than are shown. */
  readonly isCut: boolean;
}

/** The event `job`: one job and its newest records, newest first, up to the `records` of the request: 50, and 1,000 at most. */
export interface JobEvent {
  readonly at: number;
  /** `null`: there is no job of that name, or none any more. */
  readonly job: DashboardJob | null;
  readonly runs: readonly DashboardRun[];
  /** Whether Redis has more records of the job. */
  readonly isCut: boolean;
}

/** The event `locks`: up to 200 locks whose names begin with the prefix, by name. */
export interface LocksEvent {
  readonly at: number;
  readonly locks: readonly DashboardLock[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** The event `trouble`: Redis could not be read. The next event of another type ends it. */
export interface TroubleEvent {
  /** Epoch ms by the clock of the server process. */
  readonly since: number;
  /** Never has a password. */
  readonly message: string;
}

/**
 * An action of an operator: the argument of {@link DashboardOptions.allow}, and the body of `POST api/actions`, which
 * needs the header `x-distributed-lock-dashboard: 1`.
 */
export type DashboardAction =
  | {
      /** Pauses, resumes or runs a job. */
      readonly action: 'pause' | 'resume' | 'run-now';
      /** The job. */
      readonly job: string;
    }
  | {
      /** Removes the state of a job, and the records of its runs. */
      readonly action: 'forget';
      /** The job. */
      readonly job: string;
      /** Whether the records are removed even if the job runs. */
      readonly force?: boolean;
    }
  | {
      /** Frees a lock, whichever client holds it. */
      readonly action: 'unlock';
      /** The key of the lock in Redis, not its name: with a `nameMapper` the dashboard does not know the name. */
      readonly key: string;
      /**
       * The holder ids that the operator was shown: if none of them holds the lock any more, it is not freed.
       * @default any: the lock is freed, whichever client holds it by then
       */
      readonly holders?: readonly string[];
    };

/** The answer of an action: HTTP 200, or 400, 403, 404, 503 with `isDone: false`. */
export interface DashboardAnswer {
  readonly isDone: boolean;
  /** One sentence, in English. */
  readonly message: string;
}
