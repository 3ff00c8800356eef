import { Module, type DynamicModule } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';
import type { LockService } from '../service/lock.service.js';
import { dashboardController } from './dashboard.controller.js';
import {
  checkAsyncOptions,
  readDashboardOptions,
  readModuleOptions,
  type DashboardAsyncOptions,
  type DashboardModuleOptions,
  type DashboardOptions,
} from './dashboard.options.js';
import { DashboardService } from './dashboard.service.js';

/**
 * Mounts the dashboard: a page with the jobs, locks, instances and leaders of the fleet. Import it next to a global
 * `DistributedLockModule`. Its routes are those of a Nest controller: guards, the global prefix and versions apply.
 */
@Module({})
export class DistributedLockDashboardModule {
  /**
   * Mounts the dashboard of one module instance.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown or invalid option
   */
  static forRoot(options: DashboardModuleOptions = {}): DynamicModule {
    const { path, guards, service, imports, ...own } = readModuleOptions(options);
    // Checked here as well: the call that is wrong stands in the stack.
    readDashboardOptions(own, true);
    return DistributedLockDashboardModule.forRootAsync({
      ...{ path, guards, service, imports },
      useFactory: () => own,
    });
  }

  /**
   * Mounts the dashboard of one module instance, with options from a factory. Pass `path`, `guards` and `service`
   * next to `useFactory`: Nest needs them before the factory runs.
   * @throws LockConfigurationError `INVALID_OPTION` for an unknown option, or without `useFactory`. An invalid
   * result of the factory fails the startup
   */
  static forRootAsync(options: DashboardAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    const { guards = [], service, imports = [], inject = [], useFactory } = options;
    const [read, dashboard] = [Symbol('dashboard options'), Symbol('dashboard')];
    return {
      module: DistributedLockDashboardModule,
      imports,
      controllers: [dashboardController(options, dashboard)],
      providers: [
        { provide: read, inject, useFactory },
        {
          provide: dashboard,
          inject: [lockServiceToken(service), read],
          useFactory: (locks: LockService, given: DashboardOptions) =>
            new DashboardService(locks, readDashboardOptions(given, guards.length > 0)),
        },
      ],
    };
  }
}
