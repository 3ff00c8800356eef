import type { Duration } from './duration.js';

/** The state of a run: the argument of your function in the option {@link TickOptions.heartbeat}. */
export interface Heartbeat {
  /** The name of the job: its key. */
  readonly job: string;
  /** When the tick was due, in epoch ms. */
  readonly tick: number;
  /**
   * - `start`: the run has started.
   * - `success`: the run has completed.
   * - `failure`: the run threw an error, or lost its lease; or a shutdown stopped the run of a job with
   *   `onCrash: 'skip'`; or the tick was abandoned after {@link TickOptions.maxAttempts} crashed runs.
   */
  readonly state: 'start' | 'success' | 'failure';
  /** The number of the run, 1 for the first one of its tick. */
  readonly attempt: number;
  /** The instance of the run: `<host>:<pid>:<client id>`. */
  readonly instance: string;
  /** How long the run took, in ms; absent at its start, and for an abandoned tick. */
  readonly took?: number;
  /**
   * Why the run failed: the error that the run threw, a `LockLostError` if it lost its lock, else an error whose
   * message has the reason. Only for a `failure`.
   */
  readonly error?: unknown;
}

/** Where the heartbeats of a job are sent: a URL for each state. A state without a URL is not reported. */
export interface HeartbeatUrls {
  /**
   * Receives a POST when a run starts: an http or https URL. The body says in plain text what a {@link Heartbeat}
   * says; any status but 2xx counts as a failure.
   */
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
 * - A URL, such as one of healthchecks.io: the library sends a POST to `<url>/start` when a run starts, to `<url>`
 * when it has completed, and to `<url>/fail` when it has failed. If the URL has a query, `/start` and `/fail` are
 * inserted before it. Each POST is given up after 5 s.
 * - An object: a URL for each state.
 * - A function: called for each state. It has 5 s to settle.
 */
export type HeartbeatOption = string | HeartbeatUrls | ((heartbeat: Heartbeat) => unknown);
