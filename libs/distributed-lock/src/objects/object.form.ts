import { inspect, type InspectOptions } from 'node:util';

type Inspect = (value: unknown, options: InspectOptions) => string;

/**
 * Limits what JSON and `util.inspect`, and so loggers, show of an object to a few facts. Its internals include
 * all locks of the process and the Redis password.
 * @param facts `type` says what it is
 */
export function showAs<T extends object>(
  shown: { readonly prototype: T },
  facts: (self: T) => { readonly type: string } & Readonly<Record<string, unknown>>,
): void {
  const { prototype } = shown;
  const factsOf = (self: T) => {
    try {
      return facts(self);
    } catch {
      // A Proxy has none of the state that the facts are read from, and a line of a log must not throw.
      return { type: 'Proxy' };
    }
  };
  define(prototype, 'toJSON', function toJSON(this: T) {
    return factsOf(this);
  });
  define(
    prototype,
    inspect.custom,
    function show(this: T, _depth: number, options: InspectOptions, by: Inspect) {
      const { type, ...rest } = factsOf(this);
      return Object.keys(rest).length === 0 ? type : `${type} ${by(rest, options)}`;
    },
  );
}

/** Like {@link showAs}, for a class with its own `toJSON()`: changes only `util.inspect`. */
export function inspectAs<T extends { toJSON(): object }>(
  type: string,
  shown: { readonly prototype: T },
): void {
  define(
    shown.prototype,
    inspect.custom,
    function show(this: T, _depth: number, options: InspectOptions, by: Inspect) {
      try {
        return `${type} ${by(this.toJSON(), options)}`;
      } catch {
        return `Proxy of ${type}`;
      }
    },
  );
}

function define(prototype: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: false });
}
