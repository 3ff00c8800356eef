import type { LockInstance } from '../contracts/fleet.contract.js';

/** `<host>:<pid>`. */
export function instanceName({ host, pid }: LockInstance): string {
  return `${host}:${pid}`;
}

/** `<app> on <host>:<pid>`; without the application where an instance has not reported it. */
export function instanceLabel(instance: LockInstance): string {
  const name = instanceName(instance);
  return instance.app === '' ? name : `${instance.app} on ${name}`;
}

/** How instances are distinguished: `<host>:<pid>`, and with their applications where these are several. */
export function namerOf(instances: readonly LockInstance[]): (instance: LockInstance) => string {
  return appsOf(instances).length > 1 ? instanceLabel : instanceName;
}

/** The applications of instances, by name. */
export function appsOf(instances: readonly LockInstance[]): string[] {
  return [...new Set(instances.map(({ app }) => app))].toSorted();
}

/** The instance of a holder id, or of a client id; undefined for a client of Java, and an instance that does not report. */
export function instanceOfHolder(
  holder: string,
  instances: readonly LockInstance[],
): LockInstance | undefined {
  return instances.find(({ id }) => id === holder || holder.startsWith(`${id}:`));
}
