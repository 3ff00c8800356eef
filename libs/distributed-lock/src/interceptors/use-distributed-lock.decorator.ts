import { Inject, mixin, UseInterceptors, type NestInterceptor, type Type } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockService } from '../service/lock.service.js';
import {
  DistributedLockInterceptor,
  type UseDistributedLockOptions,
} from './distributed-lock.interceptor.js';

/**
 * Runs a handler, or every handler of a controller, resolver or gateway, under a lock whose name needs the request.
 * Several of them nest, the class's outside; under a `@DistributedLock` of the same key on the handler the lock is
 * re-entered. A missing module fails at boot.
 */
export function UseDistributedLock(options: UseDistributedLockOptions): MethodDecorator & ClassDecorator {
  return (target: object, methodKey?: string | symbol, descriptor?: PropertyDescriptor) => {
    const owner = typeof target === 'function' ? target : target.constructor;
    if (methodKey === undefined || descriptor === undefined) {
      UseInterceptors(interceptorFor(options, owner.name))(owner);
    } else {
      UseInterceptors(interceptorFor(options, `${owner.name}.${String(methodKey)}`))(
        target,
        methodKey,
        descriptor,
      );
    }
  };
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
