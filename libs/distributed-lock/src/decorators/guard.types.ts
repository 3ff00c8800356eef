import type { Observable } from 'rxjs';
import type { BusyContext, GuardOptions, LockNames, TickOptions } from '../contracts/guard.contract.js';

/** Any method. */
export type AnyMethod = (...args: never[]) => unknown;

/**
 * The return type of a guarded method. Acquiring a lock is a call to Redis, so the method is asynchronous.
 */
export type Promised = Promise<unknown> | Observable<unknown>;

/**
 * The name of a lock, one of:
 *
 * - a name;
 * - a template with arguments of the call: `'account:{0.id}'`;
 * - a function of the arguments of the call that returns a name or an array of names. The function may declare
 *   fewer parameters than the method;
 * - an array of names or templates: all these locks are held as one.
 */
export type LockKey<A extends readonly unknown[]> = LockNames | ((this: void, ...args: A) => LockNames);

/**
 * Options of `@DistributedLock`. The key of a scheduled method must be one fixed name, or a function without
 * parameters that returns one. `waitTime`, `leaseTime`, `onBusy` and `onLost` apply to direct calls of the method
 * only. A tick does not wait (except for a `@Timeout` without `minInterval`), and the watchdog renews its lease.
 */
export interface DistributedLockOptions<
  A extends readonly unknown[] = readonly unknown[],
  R = unknown,
  S extends 'throw' | 'skip' = 'throw' | 'skip',
>
  extends Omit<GuardOptions, 'onBusy'>, TickOptions {
  /**
   * See {@link GuardOptions.onBusy}. The result of a function must fit the return type of the method.
   * @default 'throw'
   */
  readonly onBusy?: S | ((context: BusyContext<A>) => R | PromiseLike<R>) | undefined;
}

/** A decorator for a method whose parameters and return type fit the key and the options. */
export type GuardDecorator<A extends readonly unknown[], B> = <T extends object, M extends AnyMethod>(
  target: T,
  methodKey: string | symbol,
  descriptor: TypedPropertyDescriptor<M> & Fit<T, M, A, B>,
) => void;

/** The type of the result of a call that did not get its lock. */
export type BusyAnswer<R, S> = Emitted<R> | ([S] extends ['skip'] ? undefined : never);

type Emitted<R> = R extends Observable<infer V> ? V : R;

export type Result<M extends AnyMethod> = Emitted<Awaited<ReturnType<M>>>;

/** Reports a mismatch as a missing property whose name is the explanation. */
type Fit<T, M extends AnyMethod, A extends readonly unknown[], B> = T extends abstract new (
  ...args: never[]
) => unknown
  ? { '@DistributedLock is for instance methods, not for static methods': never }
  : ReturnType<M> extends Promised
    ? Parameters<M> extends readonly [...A, ...unknown[]]
      ? [B] extends [Result<M>]
        ? unknown
        : { 'onBusy returns a value that the return type of the method does not allow': B }
      : { 'key or onBusy has parameters that the method does not have': A }
    : { 'the method returns neither a promise nor an Observable': ReturnType<M> };
