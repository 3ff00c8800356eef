import type { Duration } from './duration.js';

/** What a heartbeat says of a run of a job: the argument of a function that is given as `heartbeat`. */
export interface Heartbeat {
  /** The name of the job: its key. */
  readonly job: string;
  /** When the tick was due, in epoch ms. */
  readonly tick: number;
  /**
   * - `start`: the run has started.
   * - `success`: the run has completed.
   * - `failure`: the run threw an error, lost its lease, or was stopped by a shutdown with `onCrash: 'skip'`; or its tick
   *   was abandoned.
   */
  readonly state: 'start' | 'success' | 'failure';
  /** The number of the run, 1 for the first one of its tick. */
  readonly attempt: number;
  /** The instance of the run: `<host>:<pid>:<client id>`. */
  readonly instance: string;
  /** How long the run took, in ms; absent at its start, and for an abandoned tick. */
  readonly took?: number;
  /** Why the run failed: what it threw, a `LockLostError`, or an error with the reason. Only of a `failure`. */
  readonly error?: unknown;
}

/** Where the heartbeats of a job are sent to: a URL for each state. A state without a URL is not reported. */
export interface HeartbeatUrls {
  /** Receives a POST when a run starts. An http or https URL. */
  readonly start?: string | undefined;
  /** Receives a POST when a run has completed. An http or https URL. */
  readonly success?: string | undefined;
  /** Receives a POST when a run has failed, and when a tick is abandoned. An http or https URL. */
  readonly failure?: string | undefined;
  /** How long each heartbeat may take. Minimum: 1 ms. @default '5s' */
  readonly timeout?: Duration | undefined;
}

/**
 * Reports the runs of a job to a monitoring service, which notices if the reports stop.
 *
 * - A URL, as of healthchecks.io: `<url>/start` receives a POST when a run starts, `<url>` when it has completed, `<url>/fail` when it has
 *   failed. A query stays behind the path.
 * - An object: a URL for each state.
 * - A function: called for each state. It has 5 s to settle.
 */
export type HeartbeatOption = string | HeartbeatUrls | ((heartbeat: Heartbeat) => unknown);
