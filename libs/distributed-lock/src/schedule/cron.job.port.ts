import type { CronTimeLike } from './nominal.sequence.js';
import type { CronSchedule } from './schedule.metadata.js';

/** What is used of cron's `CronJob`; structural, so that no second copy of cron is loaded. */
export interface CronJobLike {
  /** The schedule in force: `setTime` replaces it. */
  readonly cronTime: CronTimeLike;
  fireOnTick(...args: unknown[]): unknown;
  stop(...args: unknown[]): unknown;
}

/** Whether a job may be that of a `@Cron`. Schedules that are equal are equal in their ticks too. */
export function isJobOf(
  { name, cronTime, timeZone, utcOffset }: CronSchedule,
  jobName: string,
  job: CronJobLike,
): boolean {
  if (name !== undefined) return name === jobName;
  const { source } = job.cronTime;
  if (cronTime !== (typeof source === 'string' ? source : source.toMillis())) return false;
  // Without a zone of its own, a job has the system's.
  if (utcOffset !== undefined) return utcOffset === job.cronTime.utcOffset;
  return timeZone === undefined ? job.cronTime.utcOffset === undefined : timeZone === job.cronTime.timeZone;
}
