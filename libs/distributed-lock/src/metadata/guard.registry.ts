import type { GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';
import { MethodRegistry, type MethodEntry } from './method.registry.js';

/** A key as it was given: names, templates over the arguments, or a function of them. */
export type GuardKey = LockNames | ((...args: never) => LockNames);

/** One `@DistributedLock`, as the explorers find it. */
export interface GuardEntry extends MethodEntry {
  readonly key: GuardKey;
  /**
   * The lock's name, or several, for a call with these arguments; a schedule calls without any.
   * @throws LockConfigurationError `INVALID_NAME` when a template cannot be filled
   */
  readonly namesOf: (args: readonly unknown[]) => LockNames;
  readonly options: TickOptions & Pick<GuardOptions, 'service' | 'kind'>;
  /** The function that has taken the method's place. */
  readonly guarded: object;
}

/** The guard of a function, where decorators above it have kept its metadata. */
const GUARD = Symbol.for('nestjs-distributed-lock.guard');

const GUARDS = new MethodRegistry<GuardEntry>(Symbol.for('nestjs-distributed-lock.guards'));

/** Notes a guarded method of `prototype`. Of several guards of one method, the later one is the outer one. */
export function addGuard(prototype: object, entry: GuardEntry): void {
  GUARDS.add(prototype, entry);
  Reflect.defineMetadata(GUARD, entry, entry.guarded);
}

/** The outermost guard of a function; undefined for one without, or where a decorator above the guard has dropped its metadata. */
export function guardOf(method: object): GuardEntry | undefined {
  return Reflect.getMetadata(GUARD, method);
}

/** The guards of a class's methods, as {@link MethodRegistry.read} finds them. */
export function readGuards(prototype: object): GuardEntry[] {
  return GUARDS.read(prototype);
}
