import { addGuard, type GuardEntry } from '../metadata/guard.registry.js';
import { responsePosition } from '../metadata/handler.metadata.js';
import { readReturnKind } from '../metadata/return.kind.js';
import { checkOptionNames, optionNames } from '../options/option.names.js';
import { GuardedScope } from '../guards/guarded.scope.js';
import { checkTarget } from './decoration.target.js';
import { GuardedCall } from './guarded.call.js';
import type { BusyAnswer, DistributedLockOptions, GuardDecorator, LockKey } from './guard.types.js';
import { readKey } from './key.reader.js';
import type { InstanceMethod } from './method.call.js';
import { wrapMethod } from './method.wrapper.js';
import { injectService } from './service.property.js';
import { checkTickOptions } from './tick.options.js';

const DECORATOR = '@DistributedLock';

const OPTIONS = optionNames<DistributedLockOptions>({
  kind: true,
  waitTime: true,
  leaseTime: true,
  onBusy: true,
  onLost: true,
  service: true,
  overlap: true,
  onCrash: true,
  catchUp: true,
  grace: true,
  maxHold: true,
  shared: true,
  minInterval: true,
});

/**
 * Runs the method under a distributed lock: one call at a time in the whole fleet. On a method with `@Cron`,
 * `@Interval` or `@Timeout`, each tick runs once in the fleet, and a direct call takes the lock like any other method.
 *
 * Works above or below other decorators, on every class that Nest makes, and on instances from `useFactory` and
 * `useValue` once the application has started. The method must return a promise or an Observable; an Observable takes
 * the lock when it is subscribed to, and holds it until it ends. Declare `: Observable<…>`, so that it stays one.
 * Inside `applyDecorators()` write `DistributedLock(…) as MethodDecorator`: what it fits is then not checked.
 *
 * @param key a name, a template over the arguments, or a function of them; calls of one key exclude each other, as far
 * as `kind` says. Several names are held as one lock, all or none; they are taken in an order of their own, so that calls that
 * name the same locks in different orders cannot wait for each other
 * @throws LockConfigurationError at once for options and places that cannot work
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
      where,
      guarded: wrapMethod(
        method,
        new GuardedCall<A>({
          method,
          where,
          returns,
          options,
          section,
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
