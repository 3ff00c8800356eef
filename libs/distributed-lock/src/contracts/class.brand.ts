/** On the prototype of a class: its name. The same in every copy and version of this package. */
const BRAND = Symbol.for('nestjs-distributed-lock.class');
/** What every error of this package is an instance of. */
const ERROR = 'DistributedLockError';

type AnyClass = (abstract new (...args: never[]) => unknown) & { readonly prototype: object };

/**
 * Makes `instanceof` of a class true for instances of every copy of this package: an application may load one copy by `import`, and
 * a library of it another one by `require()`, or a bundler may put both into one file. Subclasses of users stay as they are.
 * @param name the same in every version, also where a bundler renames the class
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

/** Whether a class is one of this package's errors, of any copy, or below one. */
export function isErrorClass(type: unknown): boolean {
  if (typeof type !== 'function') return false;
  const { prototype }: { readonly prototype: unknown } = type;
  return isObject(prototype) && (nameOn(prototype) === ERROR || hasBrand(prototype, ERROR));
}

function hasBrand(value: unknown, name: string): boolean {
  for (const prototype of prototypesOf(value)) if (nameOn(prototype) === name) return true;
  return false;
}

function isBelow(value: unknown, wanted: object): boolean {
  for (const prototype of prototypesOf(value)) if (prototype === wanted) return true;
  return false;
}

function nameOn(prototype: object): unknown {
  return Reflect.getOwnPropertyDescriptor(prototype, BRAND)?.value;
}

function* prototypesOf(value: unknown): Generator<object> {
  if (!isObject(value)) return;
  let level = Reflect.getPrototypeOf(value);
  while (level !== null) {
    yield level;
    level = Reflect.getPrototypeOf(level);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
