import type { LockInstance } from '../contracts/fleet.contract.js';
import { instanceOfHolder, instanceLabel } from '../core/instance.names.js';
import type { LockView } from '../lock-list/lock.view.js';

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
