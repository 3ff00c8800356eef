import { types } from 'node:util';

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Yields the prototype chain. Stops at a Proxy, because a Proxy may throw on every access. */
export function* chainOf(prototype: object | null): Generator<object> {
  for (let level = prototype; level !== null && !types.isProxy(level); level = Reflect.getPrototypeOf(level))
    yield level;
}

/** Yields the prototype chain. Passes through a Proxy, as `instanceof` does. */
export function* chainThroughProxies(prototype: object | null): Generator<object> {
  for (let level = prototype; level !== null; level = Reflect.getPrototypeOf(level)) yield level;
}

/** By the descriptor: an accessor of a class is not called. */
export function methodOf(prototype: object, methodKey: string | symbol): unknown {
  for (const level of chainOf(prototype)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(level, methodKey);
    if (descriptor !== undefined) return descriptor.value;
  }
  return undefined;
}

/** The key under which a class has a method. The name of the function may be another one: a decorator may have replaced it. */
export function keyOfMethod(prototype: object, method: { readonly name: string }): string | symbol {
  // As nearly always, and without a look at all other keys.
  if (methodOf(prototype, method.name) === method) return method.name;
  for (const level of chainOf(prototype))
    for (const key of Reflect.ownKeys(level))
      if (Reflect.getOwnPropertyDescriptor(level, key)?.value === method) return key;
  return method.name;
}
