/** What a class is to Nest: a token. */
export type ServiceClass = abstract new (...args: never[]) => unknown;

const REGISTRY_KEY = Symbol.for('nestjs-distributed-lock.service classes');

/** The `LockService` classes of all copies of this package that this process has loaded. */
export function serviceClasses(): Set<ServiceClass> {
  const registry: typeof globalThis & { [REGISTRY_KEY]?: Set<ServiceClass> } = globalThis;
  return (registry[REGISTRY_KEY] ??= new Set());
}
