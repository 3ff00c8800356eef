import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { DistributedLockTestingModule, type MemoryStore } from 'nestjs-distributed-lock/testing';
import { INSTANCE, InvoiceJob } from './invoice.job.js';
import { ReportController } from './report.controller.js';

/** One instance of the application. All instances with the same store share their locks, as they would share a Redis. */
@Module({})
export class InstanceModule {
  static on(store: MemoryStore, instance: string): DynamicModule {
    return {
      module: InstanceModule,
      imports: [
        ScheduleModule.forRoot(),
        // With a Redis: DistributedLockModule.forRoot({ redis: 'redis://localhost:6379' })
        DistributedLockTestingModule.forRoot({ store }),
        DistributedLockDashboardModule.forRoot(),
      ],
      controllers: [ReportController],
      providers: [InvoiceJob, { provide: INSTANCE, useValue: instance }],
    };
  }
}
