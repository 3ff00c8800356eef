import type { LockInstance } from '../contracts/fleet.contract.js';
import { appsOf, instanceOfHolder, instanceLabel, namerOf } from '../core/instance.names.js';
import type { JobStatus } from '../contracts/job.contract.js';
import type { LockView } from '../lock-list/lock.view.js';

/** The instances on which a job is on. */
export function instancesOf(job: string, instances: readonly LockInstance[]): LockInstance[] {
  return instances.filter(({ jobs }) => jobs.some((one) => one.job === job && one.isOn));
}

/** Where a job is, as instances have reported. */
export interface JobPlaces {
  /** The ids of the instances on which it is on. */
  readonly on: readonly string[];
  /** Their names. */
  readonly names: readonly string[];
  /** The applications that have it, on or off; where no instance reports it, the one that registered it last. */
  readonly apps: readonly string[];
}

export function placesOf(
  job: string,
  { app }: Pick<JobStatus, 'app'>,
  instances: readonly LockInstance[],
): JobPlaces {
  const all = instances.filter(({ jobs }) => jobs.some((one) => one.job === job));
  const on = instancesOf(job, all);
  const apps = all.length > 0 ? appsOf(all) : app === undefined ? [] : [app];
  return { on: on.map(({ id }) => id), names: on.map(namerOf(all)).toSorted(), apps };
}

/** The instance of a holder id, as `<app> on <host>:<pid>`; undefined for a client of Java, and an instance that does not report. */
export function holderName(holder: string, instances: readonly LockInstance[]): string | undefined {
  const instance = instanceOfHolder(holder, instances);
  return instance === undefined ? undefined : instanceLabel(instance);
}

/** What an instance has reported of a lock, which Redis does not show. */
export interface LockReport {
  /** `<app> on <host>:<pid>`. */
  readonly instance: string;
  /** Expirable permits that it holds. */
  readonly permits: number;
  /** Its callers that wait. */
  readonly waiting: number;
}

/** What the instances have reported of a lock. */
export function reportsOf(lock: string, instances: readonly LockInstance[]): LockReport[] {
  return instances.flatMap((instance) =>
    instance.locks
      .filter(({ name }) => name === lock)
      .map(({ permits, waiting }) => ({
        instance: instanceLabel(instance),
        permits,
        waiting,
      })),
  );
}

/** A lock with the instance of each holder, where it is known, and with what instances have reported of it. */
export function withInstances(
  view: LockView,
  instances: readonly LockInstance[],
): LockView & { readonly reported: readonly LockReport[] } {
  const holders = view.holders.map((one) => ({ ...one, instance: holderName(one.holder, instances) }));
  return { ...view, holders, reported: reportsOf(view.name, instances) };
}
