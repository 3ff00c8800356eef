// The page of the dashboard has this file as well: it imports nothing.

/** How long a tick may be due before it is overdue, in ms: an instance may take some seconds to claim one. */
const GRACE = 10_000;

/** What decides of a job whether its tick is overdue. */
interface DueJob {
  /** When its next tick is due, epoch ms. */
  readonly next?: number | undefined;
  readonly paused?: unknown;
  readonly running?: unknown;
}

/**
 * Whether a tick is due that no instance has claimed. Of a paused job no tick is to run, and the next one of a running job may be late.
 * @param now the store's time, epoch ms; undefined if it is unknown
 */
export function isOverdue({ next, paused, running }: DueJob, now: number | undefined): boolean {
  if (next === undefined || now === undefined) return false;
  return now - next > GRACE && paused === undefined && running === undefined;
}
