import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import type { LockService } from '../service/lock.service.js';
import { instrumentLocks, type LockMetricsOptions } from './lock.metrics.js';

/** Which locks are measured. */
export interface MeasuredLocks {
  /** The name of the module instance. @default the unnamed one */
  readonly service?: string | undefined;
}

/** Options from a factory. */
export interface LockMetricsAsyncOptions extends MeasuredLocks, Pick<DynamicModule, 'imports'> {
  /** What the factory is called with. */
  readonly inject?: FactoryProvider['inject'];
  /** Gives the options. */
  readonly useFactory: FactoryProvider<LockMetricsOptions>['useFactory'];
}

/** Measures from the moment in which the service is there, until the last of its locks has ended. */
function measure(locks: LockService, options: LockMetricsOptions): true {
  locks.onceEnded(instrumentLocks(locks, options));
  return true;
}

/** Measures the locks of an application: beside a global `DistributedLockModule`. */
@Module({})
export class DistributedLockMetricsModule {
  /** Measures the locks of one module instance, with the global meter provider unless told otherwise. */
  static forRoot({ service, ...options }: LockMetricsOptions & MeasuredLocks = {}): DynamicModule {
    return DistributedLockMetricsModule.forRootAsync({ service, useFactory: () => options });
  }

  /** The same with options from a factory, such as a MeterProvider that is injected. */
  static forRootAsync({
    imports = [],
    inject = [],
    useFactory,
    service,
  }: LockMetricsAsyncOptions): DynamicModule {
    const options = Symbol('options');
    return {
      module: DistributedLockMetricsModule,
      imports,
      providers: [
        { provide: options, inject, useFactory },
        {
          provide: Symbol('measurement'),
          inject: [lockServiceToken(service), options],
          useFactory: (locks: LockService, read: LockMetricsOptions) => measure(locks, read),
        },
      ],
    };
  }
}
