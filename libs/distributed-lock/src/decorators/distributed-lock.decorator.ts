import { addGuard, type GuardEntry } from '../metadata/guard.registry.js';
import { responsePosition } from '../metadata/handler.metadata.js';
import { readReturnKind } from '../metadata/return.kind.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import { GUARD_OPTIONS, GuardedScope, skippingOption } from '../guards/guarded.scope.js';
import { checkTarget } from './decoration.target.js';
import { GuardedCall } from './guarded.call.js';
import type { BusyAnswer, DistributedLockOptions, GuardDecorator, LockKey } from './guard.types.js';
import { readKey } from './key.reader.js';
import type { InstanceMethod } from './method.call.js';
import { wrapMethod } from './method.wrapper.js';
import { injectService } from './service.property.js';
import { checkTickOptions } from './tick-option.checks.js';

const DECORATOR = '@DistributedLock';

const OPTIONS = optionNames<DistributedLockOptions>({
  ...GUARD_OPTIONS,
  overlap: true,
  onCrash: true,
  maxAttempts: true,
  catchUp: true,
  grace: true,
  maxHold: true,
  shared: true,
  minInterval: true,
  splay: true,
  history: true,
  heartbeat: true,
});

/**
 * Runs the method under a distributed lock: by default, one call at a time in the whole fleet. On a method with
 * `@Cron`, `@Interval` or `@Timeout`, each tick runs once in the fleet (`@Timeout`: only with `minInterval`), and a
 * direct call acquires the lock like a call of any other method. If the scheduler calls the method for a tick that
 * does not run on this instance, the call resolves to `undefined`.
 *
 * Works above or below other decorators, on every class that Nest instantiates, and on objects from
 * `useFactory` and `useValue` once the application has started. On a scheduled method, put it above decorators
 * that delay or skip calls. The method must return a promise or an Observable. For an Observable, the lock is
 * acquired on subscription and held until the Observable ends. Declare `: Observable<…>` as the return type.
 * Inside `applyDecorators()` write `DistributedLock(…) as MethodDecorator`, which disables the type check of
 * the method.
 *
 * Errors of a call:
 *
 * - `LockNotAcquiredError` (see `onBusy`), `LockUnavailableError`: the call got no lock. The method was not
 *   run.
 * - `LockLostError` (`onLost: 'throw'`): the lock was lost while the method ran.
 * - `LockConfigurationError`, by its code:
 *   - `INVALID_NAME`: the key is not a valid name.
 *   - `KIND_CONFLICT`: the key is in use with another kind.
 *   - `UPGRADE`: a write lock was requested inside the read lock.
 *   - `NOT_BOUND`: the object of the method has no `LockService`.
 *   - `NOT_ASYNC`: the end of the result cannot be detected, as for a synchronous iterator.
 *   - `UNCLEAR_CALL`: it is unclear whether the call of a scheduled method is a tick.
 *
 * @param key a name, a template of the arguments, or a function of the arguments. Calls with the same key
 * exclude each other, according to `kind`. Of several names, all must be held before the method runs. They are
 * acquired in a fixed order, so that calls with the same names in another order cannot deadlock; a waiting call
 * may already hold some of them
 * @param options each option documents its default
 * @throws LockConfigurationError when the decorator is applied, for invalid options and targets. A schedule can
 * also fail the startup: `DUPLICATE_JOB`, `UNBOUND_SCHEDULE`, `UNKNOWN_SCHEDULER`
 */
export function DistributedLock<
  A extends readonly unknown[] = readonly unknown[],
  R = never,
  S extends 'throw' | 'skip' = 'throw',
>(key: LockKey<A>, options: DistributedLockOptions<A, R, S> = {}): GuardDecorator<A, BusyAnswer<R, S>> {
  return (target: object, methodKey: string | symbol, descriptor: PropertyDescriptor) => {
    const where = checkTarget(DECORATOR, target, methodKey, descriptor);
    checkOptionNames(options, OPTIONS, `of ${where}`);
    checkTickOptions(options, where);
    const method: InstanceMethod<A> = descriptor.value;
    const returns = readReturnKind(target, methodKey, method);
    const keyOf = readKey(key, where, method);
    const section = new GuardedScope<A>('decorator', options, where);
    const responseAt = responsePosition(target.constructor, methodKey);
    const guard: GuardEntry = {
      decorator: DECORATOR,
      methodKey,
      key,
      namesOf: (args) => keyOf(args as A),
      options,
      returns,
      skips: skippingOption(options),
      where,
      guarded: wrapMethod(
        method,
        new GuardedCall<A>({
          method,
          where,
          returns,
          options,
          scope: section,
          keyOf,
          responseAt,
          guard: () => guard,
        }).asFunction(),
      ),
    };
    descriptor.value = guard.guarded;
    injectService(target, options.service);
    addGuard(target, guard);
  };
}
