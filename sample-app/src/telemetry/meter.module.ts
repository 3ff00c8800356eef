import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** Where the figures of the application are kept until they are scraped. */
@Module({
  providers: [
    { provide: PrometheusExporter, useFactory: () => new PrometheusExporter({ preventServerStart: true }) },
    {
      provide: MeterProvider,
      inject: [PrometheusExporter],
      useFactory: (exporter: PrometheusExporter) => new MeterProvider({ readers: [exporter] }),
    },
  ],
  exports: [PrometheusExporter, MeterProvider],
})
export class MeterModule implements OnApplicationShutdown {
  constructor(private readonly meters: MeterProvider) {}

  async onApplicationShutdown(): Promise<void> {
    await this.meters.shutdown();
  }
}
