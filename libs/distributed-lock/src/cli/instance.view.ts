import type { LockInstance } from '../contracts/fleet.contract.js';
import type { LockView } from './lock.view.js';

/** `<host>:<pid>`. */
export function nameOf({ host, pid }: LockInstance): string {
  return `${host}:${pid}`;
}

/** The instances on which a job is on. */
export function instancesOf(job: string, instances: readonly LockInstance[]): LockInstance[] {
  return instances.filter(({ jobs }) => jobs.some((one) => one.job === job && one.isOn));
}

/** The instance of a holder id, as `<app> on <host>:<pid>`; undefined for a client of Java, and an instance that does not report. */
export function holderName(holder: string, instances: readonly LockInstance[]): string | undefined {
  const instance = instances.find(({ id }) => holder.startsWith(`${id}:`));
  return instance === undefined ? undefined : `${instance.app} on ${nameOf(instance)}`;
}

/** A lock with the instance of each holder, where it is known. */
export function withInstances(view: LockView, instances: readonly LockInstance[]): LockView {
  const holders = view.holders.map((one) => ({ ...one, instance: holderName(one.holder, instances) }));
  return { ...view, holders };
}
