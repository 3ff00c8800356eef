import { Inject, mixin, UseInterceptors, type NestInterceptor, type Type } from '@nestjs/common';
import { addIntercepted } from '../metadata/intercepted.registry.js';
import { skippingOption } from '../guards/guarded.scope.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { LockService } from '../service/lock.service.js';
import {
  checkInterceptorNames,
  DistributedLockInterceptor,
  type UseDistributedLockOptions,
} from './distributed-lock.interceptor.js';

const DECORATOR = '@UseDistributedLock';

/**
 * Runs a handler, or every handler of a controller, resolver or gateway, under a lock whose name can depend on the
 * request. If the decorator is applied several times, the locks nest: the lock of the class is acquired first. If the
 * handler also has a `@DistributedLock` with the same key, it re-enters the lock, and does not wait. The startup
 * fails if the module is missing, or if the method is not a handler.
 *
 * A request fails with the errors of a `@DistributedLock` call, except `NOT_BOUND` and `UNCLEAR_CALL`.
 *
 * @throws LockConfigurationError when the decorator is applied, for unknown options and for a target that Nest
 * never intercepts. An invalid value of an option fails the startup
 */
export function UseDistributedLock(options: UseDistributedLockOptions): MethodDecorator & ClassDecorator {
  return (target: object, methodKey?: string | symbol, descriptor?: PropertyDescriptor) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    const where = methodKey === undefined ? owner.name : `${owner.name}.${String(methodKey)}`;
    checkTarget(target, methodKey, descriptor, where);
    checkInterceptorNames(options, where);
    const interceptor = interceptorFor(options, where);
    if (methodKey === undefined || descriptor === undefined) UseInterceptors(interceptor)(owner);
    else UseInterceptors(interceptor)(target, methodKey, descriptor);
    const skips = skippingOption(options);
    addIntercepted(owner.prototype, { methodKey, key: options.key, skips, where, decorator: DECORATOR });
  };
}

/** Nest takes the interceptors of classes and of instance methods: anywhere else it would ignore them in silence. */
function checkTarget(
  target: object,
  methodKey: string | symbol | undefined,
  descriptor: unknown,
  where: string,
): void {
  const isClass = typeof target === 'function';
  const isMethod =
    typeof descriptor === 'object' &&
    descriptor !== null &&
    'value' in descriptor &&
    typeof descriptor.value === 'function';
  if (methodKey === undefined ? isClass && descriptor === undefined : !isClass && isMethod) return;
  const what =
    isClass && methodKey !== undefined ? 'a static member' : 'an accessor, a property or a parameter';
  throw new LockConfigurationError(
    'INVALID_TARGET',
    `${DECORATOR} on ${where}: the target is ${what}, neither a handler nor a class.`,
  );
}

/** A class of its own for each use, so that Nest injects the service that the options name. */
function interceptorFor(options: UseDistributedLockOptions, where: string): Type<NestInterceptor> {
  class BoundInterceptor extends DistributedLockInterceptor {
    constructor(@Inject(lockServiceToken(options.service)) locks: LockService) {
      super(locks, options, where);
    }
  }
  return mixin(BoundInterceptor);
}
