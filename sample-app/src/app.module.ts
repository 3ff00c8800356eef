import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { DistributedLockModule } from 'nestjs-distributed-lock';
import { DistributedLockDashboardModule } from 'nestjs-distributed-lock/dashboard';
import { AccountsModule } from './accounts/accounts.module.js';
import { AppController } from './app.controller.js';
import { BillingModule } from './billing/billing.module.js';
import { LoopbackGuard } from './operators/loopback.guard.js';
import { RunsController } from './runs/runs.controller.js';
import { AppSettings } from './settings/app.settings.js';
import { SettingsModule } from './settings/settings.module.js';
import { StatisticsModule } from './statistics/statistics.module.js';
import { StoreModule } from './store/store.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';

@Module({
  imports: [
    SettingsModule,
    StoreModule,
    ScheduleModule.forRoot(),
    DistributedLockModule.forRootAsync({
      inject: [AppSettings],
      useFactory: ({ redisUrl, keyPrefix, lockWatchdogTimeout }: AppSettings) => ({
        redis: redisUrl,
        namePrefix: `${keyPrefix}lock:`,
        lockWatchdogTimeout,
        appName: 'bank',
      }),
    }),
    DistributedLockDashboardModule.forRoot({ title: 'Bank', guards: [LoopbackGuard] }),
    AccountsModule,
    BillingModule,
    StatisticsModule,
    TelemetryModule,
  ],
  controllers: [AppController, RunsController],
})
export class AppModule {}
