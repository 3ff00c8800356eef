import type { InjectionToken, Provider } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { serviceClasses } from '../contracts/service.classes.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockRefusalFilter } from '../filters/lock-refusal.filter.js';
import { TickExplorer } from '../schedule/tick.explorer.js';
import { LockService } from '../service/lock.service.js';
import { MODULE_OPTIONS_TOKEN } from './distributed-lock.module-definition.js';
import { GuardExplorer } from './guard.explorer.js';
import { refuseSecondInstance } from './instance.check.js';
import { LeaderExplorer } from './leader.explorer.js';
import { LockLifecycle } from './lock.lifecycle.js';
import { bindGlobally, bindToClasses, bindToGateways } from './refusal.binder.js';

/** The providers of a module instance, and which of them other modules may inject. */
export interface LockProviders {
  readonly providers: Provider[];
  readonly exported: InjectionToken[];
}

/**
 * The service is connected when it is injected, so it serves from the first `onModuleInit` on.
 * @param name undefined: the unnamed instance, which is injected by the class as well
 * @param open makes the service of the module's options
 */
export function provideLocks<O>(
  name: string | undefined,
  refusalFilter: boolean,
  open: (options: O) => LockService | Promise<LockService>,
): LockProviders {
  const token = lockServiceToken(name);
  const isUnnamed = token === lockServiceToken();
  const providers: Provider[] = [
    {
      provide: token,
      useFactory: (options: O, modules: ModulesContainer) => {
        refuseSecondInstance(modules, name);
        return open(options);
      },
      inject: [MODULE_OPTIONS_TOKEN, ModulesContainer],
    },
    { provide: LockLifecycle, useFactory: (locks: LockService) => new LockLifecycle(locks), inject: [token] },
    {
      provide: GuardExplorer,
      useFactory: (locks: LockService, modules: ModulesContainer) => new GuardExplorer(locks, token, modules),
      inject: [token, ModulesContainer],
    },
  ];
  providers.push({
    provide: TickExplorer,
    useFactory: (locks: LockService, modules: ModulesContainer) => new TickExplorer(locks, token, modules),
    inject: [token, ModulesContainer],
  });
  providers.push({
    provide: LeaderExplorer,
    useFactory: (locks: LockService, modules: ModulesContainer) => new LeaderExplorer(locks, token, modules),
    inject: [token, ModulesContainer],
  });
  // Those of other copies of this package, too: a library of the application may inject its own copy's class.
  const classes = isUnnamed ? [...new Set([LockService, ...serviceClasses()])] : [];
  for (const provide of classes) providers.push({ provide, useExisting: token });
  if (refusalFilter) {
    providers.push({
      provide: APP_FILTER,
      useFactory: (
        locks: LockService,
        adapter: HttpAdapterHost,
        modules: ModulesContainer,
        moduleRef: ModuleRef,
      ) => {
        const filter = new LockRefusalFilter(locks, adapter);
        bindToGateways(modules);
        bindGlobally(moduleRef);
        locks.onceEnded(bindToClasses(modules, filter));
        return filter;
      },
      inject: [token, HttpAdapterHost, ModulesContainer, ModuleRef],
    });
  }
  return { providers, exported: [token, ...classes] };
}
