import { types } from 'node:util';

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A prototype and those above it, up to a Proxy: that is not ours, and may refuse every access. */
export function* chainOf(prototype: object | null): Generator<object> {
  for (let level = prototype; level !== null && !types.isProxy(level); level = Reflect.getPrototypeOf(level))
    yield level;
}
