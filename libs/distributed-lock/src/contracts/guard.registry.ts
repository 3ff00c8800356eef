import 'reflect-metadata';
import type { GuardOptions, LockNames, TickOptions } from './guard.contract.js';
import type { ReturnKind } from './return.kind.js';

/** A key as it was given: names, templates over the arguments, or a function of them. */
export type GuardKey = LockNames | ((...args: never) => LockNames);

/** One `@DistributedLock`, as the explorers find it. */
export interface GuardEntry {
  readonly methodKey: string | symbol;
  readonly key: GuardKey;
  /**
   * The lock's name, or several, for a call with these arguments; a schedule calls without any.
   * @throws LockConfigurationError `INVALID_NAME` when a template cannot be filled
   */
  readonly namesOf: (args: readonly unknown[]) => LockNames;
  readonly options: TickOptions & Pick<GuardOptions, 'service' | 'kind'>;
  readonly returns: ReturnKind;
  /** Class and method, for messages. */
  readonly where: string;
}

const GUARDS = Symbol.for('nestjs-distributed-lock.guards');

/** Notes a guarded method of `prototype`. Of several guards of one method, the later one is the outer one. */
export function addGuard(prototype: object, entry: GuardEntry): void {
  Reflect.defineMetadata(GUARDS, [...ownGuards(prototype), entry], prototype);
}

/**
 * The guards of a class's methods, inherited ones included. An override without a decorator of its own is not guarded,
 * whatever it overrides.
 */
export function readGuards(prototype: object): GuardEntry[] {
  const found: GuardEntry[] = [];
  const overridden = new Set<string | symbol>();
  for (let level: object | null = prototype; level !== null; level = Reflect.getPrototypeOf(level)) {
    found.push(...ownGuards(level).filter(({ methodKey }) => !overridden.has(methodKey)));
    for (const name of Reflect.ownKeys(level)) overridden.add(name);
  }
  return found;
}

function ownGuards(prototype: object): readonly GuardEntry[] {
  const entries: readonly GuardEntry[] | undefined = Reflect.getOwnMetadata(GUARDS, prototype);
  return entries ?? [];
}
