import type { Observable } from 'rxjs';
import type { BusyContext, GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';

/** What can be decorated at all. */
export type AnyMethod = (...args: never[]) => unknown;

/** A lock takes a round trip: a guarded method can only promise its result. */
export type Promised = Promise<unknown> | Observable<unknown>;

/**
 * A lock's name; a template over the arguments (`'account:{0.id}'`); an array of these, for several locks as one; or a
 * function that takes the method's own parameters, or the first of them, and gives a name or an array of names.
 */
export type LockKey<A extends readonly unknown[]> = LockNames | ((this: void, ...args: A) => LockNames);

/** Options of `@DistributedLock`. */
export interface DistributedLockOptions<
  A extends readonly unknown[] = readonly unknown[],
  R = unknown,
  S extends 'throw' | 'skip' = 'throw' | 'skip',
>
  extends Omit<GuardOptions, 'onBusy'>, TickOptions {
  /**
   * What a refused call gives. `throw`: a `LockNotAcquiredError` (423 over HTTP). `skip`: undefined, without running.
   * A function: its result, which the method's own type must allow. It sees only this decorator's own refusal, never
   * one of a lock that the method takes inside; Redis being away is never "busy".
   * @default 'throw'
   */
  readonly onBusy?: S | ((context: BusyContext<A>) => R | PromiseLike<R>) | undefined;
}

/** Goes on a method whose parameters, result and kind fit the key and the options. */
export type GuardDecorator<A extends readonly unknown[], B> = <T extends object, M extends AnyMethod>(
  target: T,
  methodKey: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Fit<T, M, A, B>,
) => void;

/** What a refused call gives, by its type. */
export type BusyAnswer<R, S> = Emitted<R> | ([S] extends ['skip'] ? undefined : never);

type Emitted<R> = R extends Observable<infer V> ? V : R;

export type Result<M extends AnyMethod> = Emitted<Awaited<ReturnType<M>>>;

/** What does not fit becomes a property with a sentence for a name, which no descriptor has. */
type Fit<T, M extends AnyMethod, A extends readonly unknown[], B> = T extends abstract new (
  ...args: never[]
) => unknown
  ? { '@DistributedLock goes on instance methods, not on static ones': never }
  : ReturnType<M> extends Promised
    ? Parameters<M> extends readonly [...A, ...unknown[]]
      ? [B] extends [Result<M>]
        ? unknown
        : { 'onBusy gives what the declared result of the method does not allow': B }
      : { 'key and onBusy take other arguments than the method has': A }
    : { 'the method returns neither a promise nor an Observable': ReturnType<M> };
