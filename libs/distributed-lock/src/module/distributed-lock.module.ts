import { Module, type DynamicModule } from '@nestjs/common';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import { openLockService } from '../service/open.service.js';
import { readSettings } from '../service/settings.reader.js';
import { provideLocks } from './lock.providers.js';
import { readSources } from './source.reader.js';
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type DistributedLockModuleExtras,
  type DistributedLockModuleOptions,
  type OPTIONS_TYPE,
} from './distributed-lock.module-definition.js';

/** Gives an application its locks: the LockService, what the decorators need, the filter, and an orderly shutdown. */
@Module({})
export class DistributedLockModule extends ConfigurableModuleClass {
  /** Options that cannot work, and an unreachable Redis, fail the boot with a sentence. */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    check(options, 'forRoot', 'an object with at least "redis"');
    return complete(super.forRoot(options), options);
  }

  /** The same with options from a factory, or from a class with `createLockOptions()`. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    const expected = 'an object with useFactory, useClass or useExisting';
    const { useFactory, useClass, useExisting } = check(options, 'forRootAsync', expected);
    if (useFactory === undefined && useClass === undefined && useExisting === undefined)
      check(undefined, 'forRootAsync', expected);
    return complete(super.forRootAsync(options), options);
  }
}

function complete(
  definition: DynamicModule,
  { name, refusalFilter = true }: DistributedLockModuleExtras,
): DynamicModule {
  const { providers, exported } = provideLocks(name, refusalFilter, open);
  return { ...definition, providers: [...(definition.providers ?? []), ...providers], exports: exported };
}

function open(options: DistributedLockModuleOptions): Promise<LockService> {
  return openLockService(readSettings(options), ...readSources(options));
}

function check<T extends object>(options: T | undefined, method: string, expected: string): T {
  if (typeof options === 'object' && options !== null) return options;
  throw new LockConfigurationError('INVALID_OPTION', `DistributedLockModule.${method}() takes ${expected}.`);
}
