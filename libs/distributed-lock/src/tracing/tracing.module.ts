import { Module, type DynamicModule } from '@nestjs/common';
import { optionNames, readOptions } from '../options/option.checks.js';
import { lockServiceToken } from '../contracts/tokens.js';
import type { LockService } from '../service/lock.service.js';
import { isMock } from '../service/mocked.service.js';
import { traceLocks, type LockTracingOptions } from './lock.tracing.js';

/** Options of the tracing, and the module instance whose locks are traced. */
export interface LockTracingModuleOptions extends LockTracingOptions {
  /** The `name` of the module instance. @default the unnamed instance */
  readonly service?: string | undefined;
}

const OPTIONS = optionNames<LockTracingModuleOptions>({ service: true, tracerProvider: true });

/** Traces from the moment in which the service is there, until the last of its locks has ended. */
function trace(locks: LockService, options: LockTracingOptions): true {
  if (!isMock(locks)) locks.onceEnded(traceLocks(locks, options));
  return true;
}

/**
 * Traces the locks of an application with OpenTelemetry. Import it next to a global `DistributedLockModule`.
 */
@Module({})
export class DistributedLockTracingModule {
  /**
   * Traces the locks of one module instance.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option. An invalid value fails the startup
   */
  static forRoot(traced: LockTracingModuleOptions = {}): DynamicModule {
    const where = 'of DistributedLockTracingModule.forRoot()';
    const { service, ...options } = readOptions(traced, { known: OPTIONS, where });
    return {
      module: DistributedLockTracingModule,
      providers: [
        {
          provide: Symbol('trace'),
          inject: [lockServiceToken(service)],
          useFactory: (locks: LockService) => trace(locks, options),
        },
      ],
    };
  }
}
