import { Module, type DynamicModule } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import type { DistributedLockModuleExtras } from '../module/distributed-lock.module-definition.js';
import { provideLocks } from '../module/lock.providers.js';
import { checkForRootAsync, checkMade, readForRoot } from '../module/module.checks.js';
import { TickExplorer } from '../scheduled-methods/tick.explorer.js';
import type { LockService } from '../service/lock.service.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type DistributedLockTestingOptions,
  type OPTIONS_TYPE,
} from './distributed-lock-testing.module-definition.js';
import { LockTestingControl } from './lock-testing.control.js';
import { MemoryOpener } from './memory.opener.js';
import { MemoryStore } from '../memory/memory.store.js';
import { OPTIONS, READ, readTestingSettings } from './testing.settings.js';

const MODULE = 'DistributedLockTestingModule';

/**
 * Replaces `DistributedLockModule` in unit tests: the same `LockService`, decorators, filter and ticks, with
 * locks in memory. Also exports {@link LockTestingControl}.
 */
@Module({})
export class DistributedLockTestingModule extends ConfigurableModuleClass {
  /**
   * Registers the module. Connects to no Redis.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. An invalid value fails the startup
   */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    const own = readForRoot(MODULE, options, OPTIONS, READ);
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
  const opener = new MemoryOpener<DistributedLockTestingOptions>((options) => {
    checkMade(MODULE, options);
    return readTestingSettings(options);
  });
  const { providers, exported, imports } = provideLocks(name, refusalFilter, opener);
  const control = {
    provide: LockTestingControl,
    useFactory: (locks: LockService, { crons }: TickExplorer) =>
      new LockTestingControl(opener.storeOf(locks) ?? new MemoryStore(), { locks, crons }),
    inject: [lockServiceToken(name), TickExplorer],
  };
  return {
    ...definition,
    imports: [...(definition.imports ?? []), ...imports],
    providers: [...(definition.providers ?? []), ...providers, control],
    exports: [...exported, LockTestingControl],
  };
}
