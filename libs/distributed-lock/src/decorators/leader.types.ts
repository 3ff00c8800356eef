import type { AnyMethod, Promised, Result } from './guard.types.js';

/** Options of `@LeaderOnly`. */
export interface LeaderOnlyOptions<S extends 'skip' | 'throw' = 'skip' | 'throw'> {
  /**
   * What a call on an instance that does not lead gives. `skip`: undefined, without running. `throw`: a `LockNotAcquiredError` with the
   * code `NOT_LEADER` (423 over HTTP).
   * @default 'skip'
   */
  readonly otherwise?: S | undefined;
  /** Which module instance's elections, by the `name` it was registered with. @default the unnamed one */
  readonly service?: string | undefined;
}

/** Goes on an instance method that promises its result, which may be undefined where a call can be skipped. */
export type LeaderDecorator<S extends 'skip' | 'throw'> = <T extends object, M extends AnyMethod>(
  target: T,
  methodKey: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Fit<T, M, S>,
) => void;

/** What does not fit becomes a property with a sentence for a name, which no descriptor has. */
type Fit<T, M extends AnyMethod, S> = T extends abstract new (...args: never[]) => unknown
  ? { '@LeaderOnly goes on instance methods, not on static ones': never }
  : ReturnType<M> extends Promised
    ? [S] extends ['throw']
      ? unknown
      : undefined extends Result<M>
        ? unknown
        : { 'a skipped call gives undefined, which the declared result of the method does not allow': S }
    : { 'the method returns neither a promise nor an Observable': ReturnType<M> };
