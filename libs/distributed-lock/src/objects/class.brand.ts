import { chainThroughProxies, isObject } from './prototype.chain.js';

/** On the prototype of a class: its name. The same in every copy and version of this package. */
const BRAND = Symbol.for('nestjs-distributed-lock.class');
/** What every error of this package is an instance of. */
const ERROR = 'DistributedLockError';

type AnyClass = (abstract new (...args: never[]) => unknown) & { readonly prototype: object };

/**
 * Makes `instanceof` work across copies of this package: an application may load one copy by `import`, and one
 * of its libraries another copy by `require()`.
 * Subclasses of users stay as they are.
 * @param name the fixed name of the class: it stays the same if a bundler renames the class
 */
export function brandClass(type: AnyClass, name: string): void {
  Reflect.defineProperty(type.prototype, BRAND, { value: name });
  Reflect.defineProperty(type, Symbol.hasInstance, {
    value(this: AnyClass, value: unknown): boolean {
      // A subclass inherits this function, and has no name of its own.
      return this === type ? hasBrand(value, name) : isBelow(value, this.prototype);
    },
  });
}

/** Whether `type` is an error class of any copy of this package, or extends one. */
export function isErrorClass(type: unknown): boolean {
  if (typeof type !== 'function') return false;
  const { prototype }: { readonly prototype: unknown } = type;
  return isObject(prototype) && hasClassName(prototype, ERROR);
}

function hasBrand(value: unknown, name: string): boolean {
  return isObject(value) && hasClassName(Reflect.getPrototypeOf(value), name);
}

function isBelow(value: unknown, wanted: object): boolean {
  if (!isObject(value)) return false;
  for (const level of chainThroughProxies(Reflect.getPrototypeOf(value))) if (level === wanted) return true;
  return false;
}

function hasClassName(prototype: object | null, name: string): boolean {
  for (const level of chainThroughProxies(prototype))
    if (Reflect.getOwnPropertyDescriptor(level, BRAND)?.value === name) return true;
  return false;
}
