import { AsyncLocalStorage } from 'node:async_hooks';

const scope = new AsyncLocalStorage<true>();

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Decorates a method as those do that open a transaction, or the context of a request, around it. It stands above the guard. */
export function InScope(_prototype: object, _key: string, descriptor: PropertyDescriptor): void {
  const guarded: Method = descriptor.value;
  const scoped: Method = function (...args) {
    return scope.run(true, () => Reflect.apply(guarded, this, args));
  };
  descriptor.value = scoped;
}

/** Whether the caller runs within a method that {@link InScope} decorates. */
export function isInScope(): boolean {
  return scope.getStore() === true;
}
