import type { JobInstants } from '../../libs/distributed-lock/src/job-control/own.job.js';

/** The instants of a schedule of which only the latest ones matter. */
export function instants(latest: JobInstants['latest']): JobInstants {
  return { latest, next: () => undefined, period: undefined };
}
