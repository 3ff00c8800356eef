/** The instants of a job, in epoch ms by the store's clock. */
export interface JobInstants {
  /** The latest one at or before a time: ticks up to it are never run. Undefined where there is none. */
  readonly latest: (at: number) => number | 'now' | undefined;
  /** The first one after a time; undefined where none is known. */
  readonly next: (at: number) => number | undefined;
  /** For an interval how long after a start the next one is due, in ms. */
  readonly period: number | undefined;
}

/** A scheduled job of this process. */
export interface OwnJob {
  /** Registers the job. */
  readonly register: () => Promise<void>;
  /** Whether the scheduler runs the job on this instance now. */
  readonly isOn: () => boolean;
}
