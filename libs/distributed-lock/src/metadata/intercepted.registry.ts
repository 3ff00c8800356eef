import 'reflect-metadata';

/** One `@UseDistributedLock`, on a handler or on a class of handlers. */
export interface InterceptedEntry {
  /** Undefined for all handlers of the class. */
  readonly methodKey: string | symbol | undefined;
  /** The key as it was given. */
  readonly key: unknown;
  /** The option that makes a refused call return nothing; undefined if it throws, or has another result. */
  readonly skips: string | undefined;
  /** Class and method, for messages. */
  readonly where: string;
  /** With its `@`, for messages. */
  readonly decorator: string;
}

const INTERCEPTED = Symbol.for('nestjs-distributed-lock.intercepted');

/** Notes a use at a class. */
export function addIntercepted(prototype: object, entry: InterceptedEntry): void {
  const own: readonly InterceptedEntry[] = Reflect.getOwnMetadata(INTERCEPTED, prototype) ?? [];
  Reflect.defineMetadata(INTERCEPTED, [...own, entry], prototype);
}

/** The uses at a class, without those at the classes that it inherits from. */
export function readIntercepted(prototype: object): readonly InterceptedEntry[] {
  return Reflect.getOwnMetadata(INTERCEPTED, prototype) ?? [];
}
