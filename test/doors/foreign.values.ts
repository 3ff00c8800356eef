/** Where the library's own code stands, from source and built. */
const OURS = /\/libs\/distributed-lock\/src\/|\/dist\/(?:esm|cjs)\//;
/** Frames that only pass an access on. */
const PASSING = /<anonymous>|node:|reflect-metadata|foreign\.values/;

/** One access to a foreign value. */
export interface Access {
  readonly value: string;
  readonly trap: string;
  /** The line of code that made it. */
  readonly by: string;
}

/** Values of a user's application that note each access to them. */
export class ForeignValues {
  readonly #accesses: Access[] = [];

  /** The accesses that the library made; Nest makes some of its own. */
  get ours(): Access[] {
    return this.#accesses.filter(({ by }) => OURS.test(by));
  }

  /** All of them, which shows that the values do note. */
  get all(): readonly Access[] {
    return this.#accesses;
  }

  /** A Proxy that notes what any trap is called for, and refuses the library. */
  proxy<T extends object>(value: string, target: T): T {
    const traps = Reflect.ownKeys(Reflect).filter((trap) => typeof trap === 'string' && trap in Reflect);
    const handler = Object.fromEntries(
      traps.map((trap) => [
        trap,
        (...args: unknown[]): unknown => {
          this.note(value, `${String(trap)} ${String(args[1])}`);
          return Reflect.apply(Reflect.get(Reflect, trap), Reflect, args);
        },
      ]),
    );
    return new Proxy(target, handler);
  }

  /** An object whose getters refuse the library. */
  thrower(value: string): object {
    const names = ['addCronJob', 'mountCron', 'then', 'constructor', 'catch', 'settings', 'toJSON'];
    return Object.defineProperties(
      {},
      Object.fromEntries(
        names.map((name) => [
          name,
          {
            enumerable: true,
            get: () => this.note(value, `get ${name}`),
          },
        ]),
      ),
    );
  }

  note(value: string, trap: string): void {
    const [, ...frames] = (new Error('an access').stack ?? '').split('\n');
    const by = frames.find((frame) => !PASSING.test(frame)) ?? '';
    this.#accesses.push({ value, trap, by });
    if (OURS.test(by)) throw new Error(`${value} refuses ${trap}${by}`);
  }
}
