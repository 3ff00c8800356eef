import { isOverdue } from '../../../distributed-lock/src/contracts/overdue.js';
import type { DashboardJob } from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';
import type { JobFilter, JobSort } from '../router.js';
import { isFailure } from './outcomes.js';

/** Whether the last run went wrong. */
export function isFailing({ lastRun }: DashboardJob): boolean {
  return lastRun !== undefined && isFailure(lastRun.outcome);
}

/** Whether instances report, and the job is on in none of them. */
export function isNowhere({ schedule, instances, isFleetKnown }: DashboardJob): boolean {
  // An instance does not report a job of `runOnce()`, which has no schedule.
  return schedule !== undefined && isFleetKnown && instances.length === 0;
}

const FILTERS: Readonly<Record<JobFilter, (job: DashboardJob, now: number) => boolean>> = {
  all: () => true,
  running: ({ running }) => running !== undefined,
  paused: ({ paused }) => paused !== undefined,
  failing: isFailing,
  overdue: isOverdue,
  nowhere: isNowhere,
};

export function isIn(filter: JobFilter, job: DashboardJob, now: number): boolean {
  return FILTERS[filter](job, now);
}

/** Whether a name, a schedule or an application has the text in it, in any case. */
export function hasText({ name, apps, schedule = '' }: DashboardJob, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return wanted === '' || [name, ...apps, schedule].some((each) => each.toLowerCase().includes(wanted));
}

const byName = new Intl.Collator('en', { numeric: true });

/** A paused job has no next tick. */
const nextOf = ({ next, paused }: DashboardJob) =>
  next === undefined || paused !== undefined ? Infinity : next;

const SORTS: Readonly<Record<JobSort, (a: DashboardJob, b: DashboardJob) => number>> = {
  name: () => 0,
  next: (a, b) => nextOf(a) - nextOf(b) || 0,
  last: (a, b) => (b.lastRun?.start ?? -Infinity) - (a.lastRun?.start ?? -Infinity) || 0,
};

/** The next due one, or the last started one, first; those alike by name. */
export function sorted(jobs: readonly DashboardJob[], sort: JobSort): DashboardJob[] {
  return jobs.toSorted((a, b) => SORTS[sort](a, b) || byName.compare(a.name, b.name));
}

/**
 * Keeps the rows in the order in which they are shown, so that no row moves while the pointer is over them; new ones come last.
 * @param names the shown order
 */
export function inOrder(jobs: readonly DashboardJob[], names: readonly string[]): DashboardJob[] {
  const places = new Map(names.map((name, place) => [name, place]));
  const placeOf = ({ name }: DashboardJob) => places.get(name) ?? names.length;
  return jobs.toSorted((a, b) => placeOf(a) - placeOf(b));
}
