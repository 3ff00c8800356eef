import { Controller, Get, type ModuleMetadata } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import {
  DistributedLock,
  DistributedLockInterceptor,
  LockService,
  UseDistributedLock,
  type LockOptions,
} from 'nestjs-distributed-lock';

/** How long the guarded work goes on: a test sets it. */
export const work: { ends: () => Promise<void> } = { ends: () => Promise.resolve() };

/** What an application calls in a test of times. */
export abstract class Guarded {
  abstract run(): Promise<void>;
}

/** Guards of the lock `x`, one by each door: a provider's method, the route /used, and the interceptor on the route /intercepted. */
export function guardedParts(options: Pick<LockOptions, 'waitTime' | 'leaseTime'>): ModuleMetadata {
  class Decorated {
    @DistributedLock('x', options)
    async run(): Promise<void> {
      await work.ends();
    }
  }

  @Controller()
  class Used {
    @Get('used')
    @UseDistributedLock({ key: 'x', ...options })
    async used(): Promise<void> {
      await work.ends();
    }

    @Get('intercepted')
    async intercepted(): Promise<void> {
      await work.ends();
    }
  }

  const interceptor = {
    provide: APP_INTERCEPTOR,
    inject: [LockService],
    useFactory: (locks: LockService) => {
      const guard = new DistributedLockInterceptor(locks, { key: 'x', ...options });
      return {
        intercept: (...[context, next]: Parameters<DistributedLockInterceptor['intercept']>) =>
          context.getHandler().name === 'intercepted' ? guard.intercept(context, next) : next.handle(),
      };
    },
  };
  return { controllers: [Used], providers: [{ provide: Guarded, useClass: Decorated }, interceptor] };
}
