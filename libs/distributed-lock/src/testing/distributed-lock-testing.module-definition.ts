import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { LockModuleSettings, RedLockTimes } from '../contracts/module.options.js';
import type { DistributedLockModuleExtras } from '../module/distributed-lock.module-definition.js';
import type { MemoryStore } from '../memory/memory.store.js';

/**
 * Options of the testing module: the options of `DistributedLockModule` without `redis` and `redLock.servers`.
 * These two are ignored, so that an application can pass the same options to both modules. The default of
 * `shutdownTimeout` is 1 s.
 */
export interface DistributedLockTestingOptions extends LockModuleSettings {
  /** The store of the locks. Modules with the same store compete for its locks. @default a new store */
  readonly store?: MemoryStore | undefined;
  /**
   * Enables red locks, which use three stores of their own in memory. @default none: `getRedLock()` throws
   */
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
