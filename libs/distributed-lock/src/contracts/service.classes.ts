/** What a class is to Nest: a token. */
export type ServiceClass = abstract new (...args: never[]) => unknown;

const PLACE = Symbol.for('nestjs-distributed-lock.service classes');

/** The `LockService` classes of all copies of this package that this process has loaded. */
export function serviceClasses(): Set<ServiceClass> {
  const place: typeof globalThis & { [PLACE]?: Set<ServiceClass> } = globalThis;
  return (place[PLACE] ??= new Set());
}
