import type { LockInstance } from '../contracts/fleet.contract.js';
import { appsOf, namerOf } from './instance.names.js';

/** Where a job is, as instances have reported. */
export interface JobPlaces {
  /** The ids of the instances on which it is on. */
  readonly on: readonly string[];
  /** Their names. */
  readonly names: readonly string[];
  /** The applications that have it, on or off; where no instance reports it, the one that registered it last. */
  readonly apps: readonly string[];
}

/** The places of all jobs that instances report, by job. */
export function placesByJob(instances: readonly LockInstance[]): Map<string, JobPlaces> {
  const byJob = new Map<string, { all: Set<LockInstance>; on: Set<LockInstance> }>();
  for (const instance of instances)
    for (const { job, isOn } of instance.jobs) {
      const places = byJob.get(job) ?? { all: new Set(), on: new Set() };
      byJob.set(job, places);
      places.all.add(instance);
      if (isOn) places.on.add(instance);
    }
  return new Map([...byJob].map(([job, { all, on }]) => [job, placesAmong([...all], [...on])]));
}

/** @param app the application that registered the job last */
export function placesOf(
  job: string,
  app: string | undefined,
  byJob: ReadonlyMap<string, JobPlaces>,
): JobPlaces {
  return byJob.get(job) ?? { on: [], names: [], apps: app === undefined ? [] : [app] };
}

function placesAmong(all: readonly LockInstance[], on: readonly LockInstance[]): JobPlaces {
  return { on: on.map(({ id }) => id), names: on.map(namerOf(all)).toSorted(), apps: appsOf(all) };
}
