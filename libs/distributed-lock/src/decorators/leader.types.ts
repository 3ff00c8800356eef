import type { AnyMethod, Promised, Result } from './guard.types.js';

/** Options of `@LeaderOnly`. */
export interface LeaderOnlyOptions<S extends 'skip' | 'throw' = 'skip' | 'throw'> {
  /**
   * What a call returns on an instance that does not lead. `skip`: `undefined`, without running the method.
   * `throw`: rejects with a `LockNotAcquiredError` of code `NOT_LEADER` (423 over HTTP).
   * @default 'skip'
   */
  readonly otherwise?: S | undefined;
  /** The `name` of the module instance whose elections are used. @default the unnamed instance */
  readonly service?: string | undefined;
}

/**
 * A decorator for an asynchronous instance method. If calls can be skipped, its result type must allow
 * `undefined`.
 */
export type LeaderDecorator<S extends 'skip' | 'throw'> = <T extends object, M extends AnyMethod>(
  target: T,
  methodKey: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Fit<T, M, S>,
) => void;

/** Reports a mismatch as a missing property whose name is the explanation. */
type Fit<T, M extends AnyMethod, S> = T extends abstract new (...args: never[]) => unknown
  ? { '@LeaderOnly is for instance methods, not for static methods': never }
  : ReturnType<M> extends Promised
    ? [S] extends ['throw']
      ? unknown
      : undefined extends Result<M>
        ? unknown
        : { 'a skipped call returns undefined, which the return type of the method does not allow': S }
    : { 'the method returns neither a promise nor an Observable': ReturnType<M> };
