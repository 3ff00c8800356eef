import type { DashboardRun } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';

/** Whether a record is about a run, and not about a tick that did not run. */
export function isRun({ attempt }: DashboardRun): boolean {
  return attempt > 0;
}

/**
 * How long a run took, in ms; until `at` for one that has not ended.
 * @returns undefined for a tick that did not run, and for a crashed run, whose end is unknown
 */
export function tookOf(run: DashboardRun, at: number): number | undefined {
  if (!isRun(run)) return undefined;
  if (run.end !== undefined) return Math.max(0, run.end - run.start);
  return run.outcome === 'running' ? Math.max(0, at - run.start) : undefined;
}

/** How late a run started, in ms; undefined for a tick that did not run. */
export function delayOf(run: DashboardRun): number | undefined {
  return isRun(run) ? Math.max(0, run.start - run.tick) : undefined;
}
