import { defer, isObservable, type Observable, type ObservableInput } from 'rxjs';
import type { ReturnKind } from '../metadata/return.kind.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { promiseThrough } from '../guards/open.scope.js';
import { streamThrough, type ScopeRunner } from '../guards/scope.stream.js';

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

/** What one call runs in. */
export interface CallScope {
  readonly scope: ScopeRunner;
  readonly call: () => unknown;
  /** Class and method, for messages. */
  readonly where: string;
  /** Called when an Observable that was not declared is not subscribed to at once. */
  readonly unclaimed: () => void;
}

/**
 * Runs a call in a scope, which ends when the promise of the call has settled, or its Observable has ended. A method that does not declare
 * what it returns may return a plain value: then the caller gets a promise of it.
 * @throws LockConfigurationError `NOT_ASYNC` for a plain value where an Observable was declared
 */
export function runThrough(
  { scope: section, call, where, unclaimed }: CallScope,
  stream: boolean,
): Observable<unknown> | Promise<unknown> {
  if (!stream) return promiseThrough(section, call, unclaimed);
  return defer(() => streamThrough(section, { source: () => sourceOf(call(), where) }));
}

function sourceOf(result: unknown, where: string): ObservableInput<unknown> {
  if (isObservable(result) || isPromise(result)) return result;
  throw new LockConfigurationError('NOT_ASYNC', `${where} returned neither a promise nor an Observable.`);
}

function isPromise(result: unknown): result is PromiseLike<unknown> {
  return (
    typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function'
  );
}
