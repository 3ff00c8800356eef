import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { DistributedLockModuleExtras } from '../module/distributed-lock.module-definition.js';
import type { MemoryStore } from '../memory/memory.store.js';

/** Options of the testing module: those of DistributedLockModule, without `redis`, which is
 * ignored where an application gives both modules the same options. `shutdownTimeout` is 1 s by default. */
export interface DistributedLockTestingOptions extends LockModuleSettings {
  /** Where the locks are; modules with the same store compete for them. @default one of the module's own */
  readonly store?: MemoryStore | undefined;
  /** Red locks stand on three stores of their own; no servers are named. */
  readonly redLock?: RedLockTimes | undefined;
}

const EXTRAS: DistributedLockModuleExtras = { isGlobal: true, name: undefined, refusalFilter: true };

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DistributedLockTestingOptions>({
    optionsInjectionToken: Symbol.for('nestjs-distributed-lock.options'),
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createLockOptions')
    .setExtras(EXTRAS, (definition, { isGlobal = true }) => ({ ...definition, global: isGlobal }))
    .build();
