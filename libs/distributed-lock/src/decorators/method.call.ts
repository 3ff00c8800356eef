import { defer, isObservable, type Observable, type ObservableInput } from 'rxjs';
import type { ReturnKind } from '../contracts/return.kind.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { promiseThrough } from '../service/section.loan.js';
import { streamThrough, type Section } from '../service/section.stream.js';

export type InstanceMethod<A extends readonly unknown[]> = (this: object, ...args: A) => unknown;

/** A method that a decorator has wrapped. */
export interface WrappedMethod<A extends readonly unknown[]> {
  readonly method: InstanceMethod<A>;
  /** Class and method, for messages. */
  readonly where: string;
  readonly returns: ReturnKind;
}

/**
 * The function that takes a method's place; async where the method is not known to give an Observable.
 * @param run one call of it; `stream` when it is to give an Observable
 */
export function standIn<A extends readonly unknown[]>(
  { returns }: WrappedMethod<A>,
  run: (instance: object, args: A, stream: boolean) => unknown,
): InstanceMethod<A> {
  if (returns === 'observable') {
    return function wrapped(...args) {
      return run(this, args, true);
    };
  }
  return async function wrapped(...args) {
    return await run(this, args, false);
  };
}

/** What a call gives that runs in a section: it lasts until the promise has settled, or the Observable has ended. */
export function runThrough(
  section: Section,
  call: () => ObservableInput<unknown>,
  stream: boolean,
): Observable<unknown> | Promise<unknown> {
  return stream ? defer(() => streamThrough(section, call)) : promiseThrough(section, call);
}

/** The method itself. @throws LockConfigurationError `NOT_ASYNC` */
export function callMethod<A extends readonly unknown[]>(
  { method, where }: WrappedMethod<A>,
  instance: object,
  args: A,
): ObservableInput<unknown> {
  const result: unknown = Reflect.apply(method, instance, args);
  if (isObservable(result) || isPromise(result)) return result;
  throw new LockConfigurationError('NOT_ASYNC', `${where} gave neither a promise nor an Observable.`);
}

function isPromise(result: unknown): result is PromiseLike<unknown> {
  return (
    typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
  );
}
