import type { LockInstance } from '../contracts/fleet.contract.js';

/** `<host>:<pid>`. */
export function instanceName({ host, pid }: LockInstance): string {
  return `${host}:${pid}`;
}

/** `<app> on <host>:<pid>`. */
export function instanceLabel(instance: LockInstance): string {
  return `${instance.app} on ${instanceName(instance)}`;
}

/** The instance of a holder id, or of a client id; undefined for a client of Java, and an instance that does not report. */
export function instanceOfHolder(
  holder: string,
  instances: readonly LockInstance[],
): LockInstance | undefined {
  return instances.find(({ id }) => id === holder || holder.startsWith(`${id}:`));
}
