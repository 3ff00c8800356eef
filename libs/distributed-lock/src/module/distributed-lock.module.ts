import { Module, type DynamicModule } from '@nestjs/common';
import { optionNames } from '../options/option.checks.js';
import type { LockService } from '../service/lock.service.js';
import { openLockService } from '../startup/open.service.js';
import { SETTINGS, readSettings } from '../startup/settings.reader.js';
import { checkForRootAsync, checkMade, readForRoot, readSources } from './module.checks.js';
import { provideLocks } from './lock.providers.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type DistributedLockModuleExtras,
  type DistributedLockModuleOptions,
  type OPTIONS_TYPE,
} from './distributed-lock.module-definition.js';

const MODULE = 'DistributedLockModule';

const OPTIONS = optionNames<DistributedLockModuleOptions>({ ...SETTINGS, redis: true, redLock: true });

/**
 * Provides the `LockService` and the exception filter, binds the decorators to the service, and releases all
 * locks at shutdown.
 */
@Module({})
export class DistributedLockModule extends ConfigurableModuleClass {
  /**
   * Registers the module. An unreachable Redis fails the startup with a LockUnavailableError, unless `redis` says
   * `lazyConnect`: as an option of ioredis, or in the query of a URL.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. An invalid value fails the startup
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    const own = readForRoot(MODULE, options, OPTIONS);
    return complete(super.forRoot(own), own);
  }

  /**
   * Registers the module with options from a factory, or from a class with `createLockOptions()`.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. An invalid result of the factory
   * fails the startup
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkForRootAsync(MODULE, options);
    return complete(super.forRootAsync(options), options);
  }
}

function complete(
  definition: DynamicModule,
  { name, refusalFilter = true }: DistributedLockModuleExtras,
): DynamicModule {
  const { providers, exported, imports } = provideLocks(name, refusalFilter, { open });
  return {
    ...definition,
    imports: [...(definition.imports ?? []), ...imports],
    providers: [...(definition.providers ?? []), ...providers],
    exports: exported,
  };
}

function open(options: DistributedLockModuleOptions): Promise<LockService> {
  checkMade(MODULE, options);
  return openLockService(readSettings(options, OPTIONS), ...readSources(options));
}
