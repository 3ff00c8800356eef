import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { DistributedLockModuleExtras } from '../module/distributed-lock.module-definition.js';
import { provideLocks } from '../module/lock.providers.js';
import { checkForRoot, checkForRootAsync, checkMade } from '../module/module.checks.js';
import { optionNames } from '../options/option.names.js';
import { TickExplorer } from '../schedule/tick.explorer.js';
import type { LockService } from '../service/lock.service.js';
import { SETTINGS } from '../service/setting.names.js';
import { readSettings } from '../service/settings.reader.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type DistributedLockTestingOptions,
  type OPTIONS_TYPE,
} from './distributed-lock-testing.module-definition.js';
import { LockTestingControl } from './lock-testing.control.js';
import { MemoryStore } from './memory.store.js';
import { openMemoryService } from './open.memory.js';

const MODULE = 'DistributedLockTestingModule';

/** An application may give the options of its DistributedLockModule, with where Redis is: nothing is connected. */
const OPTIONS = optionNames<DistributedLockTestingOptions & { readonly redis: unknown }>({
  ...SETTINGS,
  store: true,
  redLock: true,
  redis: true,
});

/** A test that forgot to release a lock is not to wait for long. */
const SHUTDOWN = '1s';

/**
 * In place of DistributedLockModule in unit tests: the same LockService, decorators, filter and ticks, in memory. Exports
 * {@link LockTestingControl} beside what that module exports.
 */
@Module({})
export class DistributedLockTestingModule extends ConfigurableModuleClass {
  /** With a store of its own, or with one that is given. Nothing is connected. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    checkForRoot(MODULE, options, OPTIONS);
    return complete(super.forRoot(options), options);
  }

  /** The same with options from a factory, or from a class with `createLockOptions()`. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkForRootAsync(MODULE, options);
    return complete(super.forRootAsync(options), options);
  }
}

function complete(
  definition: DynamicModule,
  { name, refusalFilter = true }: DistributedLockModuleExtras,
): DynamicModule {
  const stores = new WeakMap<LockService, MemoryStore>();
  const { providers, exported } = provideLocks(
    name,
    refusalFilter,
    (options: DistributedLockTestingOptions) => {
      warnInProduction();
      checkMade(MODULE, options);
      const store = readStore(options.store);
      const locks = openMemoryService(
        readSettings({ shutdownTimeout: SHUTDOWN, ...options }, OPTIONS),
        store,
      );
      stores.set(locks, store);
      return locks;
    },
  );
  const control = {
    provide: LockTestingControl,
    useFactory: (locks: LockService, { crons }: TickExplorer) =>
      new LockTestingControl(stores.get(locks) ?? new MemoryStore(), { locks, crons }),
    inject: [lockServiceToken(name), TickExplorer],
  };
  return {
    ...definition,
    providers: [...(definition.providers ?? []), ...providers, control],
    exports: [...exported, LockTestingControl],
  };
}

function readStore(store: unknown): MemoryStore {
  if (store === undefined) return new MemoryStore();
  if (store instanceof MemoryStore) return store;
  throw new LockConfigurationError('INVALID_OPTION', 'The store of a testing module must be a MemoryStore.');
}

function warnInProduction(): void {
  if (process.env['NODE_ENV'] !== 'production') return;
  new Logger('DistributedLock').warn(
    'DistributedLockTestingModule is for tests: its locks exclude nobody outside of this process. Import DistributedLockModule in production.',
  );
}
