/** A job of an instance. */
export interface InstanceJob {
  /** The key of the job. */
  readonly job: string;
  /** Whether the scheduler of the instance runs the job now. */
  readonly isOn: boolean;
}

/** An instance of an application: one module instance in one process, by its last report. */
export interface LockInstance {
  /**
   * The client id of the instance: the last part of {@link TickRecord.instance}, and the first part of each holder
   * id. New at each start.
   */
  readonly id: string;
  /** The application: see the option `appName`. */
  readonly app: string;
  /** The host name of its machine. */
  readonly host: string;
  /** The process id. */
  readonly pid: number;
  /** The version of this library that the instance has. */
  readonly version: string;
  /** When the instance was opened, in epoch ms by the clock of Redis. */
  readonly started: number;
  /** When the instance reported last, in epoch ms by the clock of Redis. It reports every 10 s. */
  readonly seen: number;
  /** The number of locks that the instance held then. */
  readonly held: number;
  /** The number of callers that waited for a lock then. */
  readonly waiting: number;
  /** The scheduled jobs of the instance. */
  readonly jobs: readonly InstanceJob[];
}

/** The instances of all applications with one `namePrefix`: see the option `instanceInfo`. */
export interface Fleet {
  /**
   * Returns the instances that are alive, up to 1000, the one that has reported last first. Instances with an older
   * version of this library do not report, nor those with `instanceInfo: false`.
   * @throws LockUnavailableError
   */
  instances(): Promise<LockInstance[]>;
}
