import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames, readOptions } from '../options/option.checks.js';
import type { LockService } from '../service/lock.service.js';
import { isMock } from '../service/mocked.service.js';
import { measureLocks, type LockMetricsOptions } from './lock.metrics.js';

/** The module instance whose locks are measured. */
export interface MeasuredLocks {
  /** The `name` of the module instance. @default the unnamed instance */
  readonly service?: string | undefined;
}

/** Options of `forRootAsync()`. */
export interface LockMetricsAsyncOptions extends MeasuredLocks, Pick<DynamicModule, 'imports'> {
  /** The tokens of the providers that are passed to the factory. */
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options. */
  readonly useFactory: FactoryProvider<LockMetricsOptions>['useFactory'];
}

const OPTIONS = optionNames<LockMetricsOptions & MeasuredLocks>({
  service: true,
  meterProvider: true,
  nameOf: true,
  jobs: true,
});

const ASYNC = optionNames<LockMetricsAsyncOptions>({
  service: true,
  imports: true,
  inject: true,
  useFactory: true,
});

/** Measures from the moment in which the service is there, until the last of its locks has ended. */
function measure(locks: LockService, options: LockMetricsOptions, service: string | undefined): true {
  if (!isMock(locks)) locks.onceEnded(measureLocks(locks, options, service));
  return true;
}

/**
 * Measures the locks of an application with OpenTelemetry. Import it next to a global `DistributedLockModule`.
 */
@Module({})
export class DistributedLockMetricsModule {
  /**
   * Measures the locks of one module instance.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. An invalid value fails the startup
   */
  static forRoot(measured: LockMetricsOptions & MeasuredLocks = {}): DynamicModule {
    const where = 'of DistributedLockMetricsModule.forRoot()';
    const { service, ...options } = readOptions(measured, { known: OPTIONS, where });
    return DistributedLockMetricsModule.forRootAsync({ service, useFactory: () => options });
  }

  /**
   * Measures the locks of one module instance, with options from a factory, for example an injected
   * `MeterProvider`.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option, or without `useFactory`. An invalid
   * result of the factory fails the startup
   */
  static forRootAsync(measured: LockMetricsAsyncOptions): DynamicModule {
    checkOptionNames(measured, ASYNC, 'of DistributedLockMetricsModule.forRootAsync()');
    const { imports = [], inject = [], useFactory, service } = measured;
    if (typeof useFactory !== 'function')
      throw new LockConfigurationError(
        'INVALID_OPTION',
        'DistributedLockMetricsModule.forRootAsync() needs useFactory.',
      );
    const options = Symbol('options');
    return {
      module: DistributedLockMetricsModule,
      imports,
      providers: [
        { provide: options, inject, useFactory },
        {
          provide: Symbol('measurement'),
          inject: [lockServiceToken(service), options],
          useFactory: (locks: LockService, read: LockMetricsOptions) => measure(locks, read, service),
        },
      ],
    };
  }
}
