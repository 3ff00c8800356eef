import type { InjectionToken, Provider, Type } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { serviceClasses } from '../contracts/service.classes.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockRefusalFilter } from '../filters/lock-refusal.filter.js';
import { TickExplorer } from '../scheduled-methods/tick.explorer.js';
import { LockService } from '../service/lock.service.js';
import { isMock } from '../service/mocked.service.js';
import { openIn } from '../startup/open.applications.js';
import { MODULE_OPTIONS_TOKEN } from './distributed-lock.module-definition.js';
import { GuardExplorer } from './guard.explorer.js';
import { refuseSecondInstance } from './module.checks.js';
import { LeaderExplorer } from './leader.explorer.js';
import { LockLifecycle } from './lock.lifecycle.js';
import { LOCK_OPENER, type LockOpener } from './lock.opener.js';
import { ShutdownSignal, ShutdownSignalModule } from './shutdown.signal.module.js';
import { bindGlobally, bindToClasses, bindToGateways } from './refusal.binder.js';

/** The providers of a module instance, and which of them other modules may inject. */
export interface LockProviders {
  readonly providers: Provider[];
  readonly exported: InjectionToken[];
  readonly imports: Type[];
}

type ExplorerClass = new (locks: LockService, token: symbol, modules: ModulesContainer) => object;

/**
 * The service is connected when it is injected, so it serves from the first `onModuleInit` on.
 * @param name undefined: the unnamed instance, which is injected by the class as well
 * @param opener makes the service of the module's options
 */
export function provideLocks<O>(
  name: string | undefined,
  refusalFilter: boolean,
  opener: LockOpener<O>,
): LockProviders {
  const token = lockServiceToken(name);
  const isUnnamed = token === lockServiceToken();
  // Those of other copies of this package, too: a library of the application may inject its own copy's class.
  const classes = isUnnamed ? [...new Set([LockService, ...serviceClasses()])] : [];
  // A test overrides the unnamed service by its class, and then nothing may be opened: the token only leads to the class.
  const [service = token, ...aliases] = [...classes, token];
  const explore = (type: ExplorerClass): Provider => ({
    provide: type,
    useFactory: (locks: LockService, modules: ModulesContainer) =>
      isMock(locks) ? {} : new type(locks, token, modules),
    inject: [token, ModulesContainer],
  });
  const providers: Provider[] = [
    { provide: LOCK_OPENER, useValue: opener },
    {
      provide: service,
      useFactory: (options: O, given: LockOpener<O>, modules: ModulesContainer) => {
        return openIn(modules, () => {
          refuseSecondInstance(modules, name);
          return given.open(options);
        });
      },
      inject: [MODULE_OPTIONS_TOKEN, LOCK_OPENER, ModulesContainer],
    },
    ...aliases.map((provide) => ({ provide, useExisting: service })),
    {
      provide: LockLifecycle,
      useFactory: (locks: LockService, signal: ShutdownSignal) =>
        isMock(locks) ? {} : new LockLifecycle(locks, signal),
      inject: [token, ShutdownSignal],
    },
    explore(GuardExplorer),
    explore(TickExplorer),
    explore(LeaderExplorer),
  ];
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
        const leave = bindToClasses(modules, filter);
        if (!isMock(locks)) locks.onceEnded(leave);
        return filter;
      },
      inject: [token, HttpAdapterHost, ModulesContainer, ModuleRef],
    });
  }
  return { providers, exported: [token, ...classes], imports: [ShutdownSignalModule] };
}
