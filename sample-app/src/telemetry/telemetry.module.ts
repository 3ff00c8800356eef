import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { DistributedLockHealthIndicator } from 'nestjs-distributed-lock/health';
import { DistributedLockMetricsModule } from 'nestjs-distributed-lock/metrics';
import { DistributedLockTracingModule } from 'nestjs-distributed-lock/tracing';
import { HealthController } from './health.controller.js';
import { MeterModule } from './meter.module.js';
import { MetricsController } from './metrics.controller.js';

/** What operators see of the locks. Spans go to the global tracer provider, where one is registered. */
@Module({
  imports: [
    TerminusModule,
    MeterModule,
    DistributedLockMetricsModule.forRootAsync({
      imports: [MeterModule],
      inject: [MeterProvider],
      useFactory: (meterProvider: MeterProvider) => ({
        meterProvider,
        // "account:1" would be a time series for each account.
        nameOf: (lock: string) => lock.split(':')[0],
      }),
    }),
    DistributedLockTracingModule.forRoot(),
  ],
  controllers: [HealthController, MetricsController],
  providers: [DistributedLockHealthIndicator],
})
export class TelemetryModule {}
