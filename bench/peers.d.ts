/** The parts that are used here of peers whose packages do not tell their types. */
declare module 'redlock-4' {
  import type { Redis } from 'ioredis';

  export default class Redlock {
    constructor(clients: readonly Redis[], settings: object);
    lock(resource: string, ttl: number): Promise<{ unlock(): Promise<void> }>;
  }
}

declare module 'redlock-5' {
  import type { Redis } from 'ioredis';

  interface Lock {
    release(): Promise<unknown>;
  }
  export default class Redlock {
    constructor(clients: readonly Redis[], settings: object);
    acquire(resources: string[], duration: number): Promise<Lock>;
    using(resources: string[], duration: number, routine: () => Promise<void>): Promise<void>;
    on(event: 'error', listener: () => void): this;
  }
}
