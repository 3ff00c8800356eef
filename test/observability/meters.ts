import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Scrape } from './scrape.reader.js';

/** A meter provider that is scraped as Prometheus would. */
export class Meters {
  readonly #exporter = new PrometheusExporter({ preventServerStart: true });
  readonly meterProvider = new MeterProvider({ readers: [this.#exporter] });

  async text(): Promise<string> {
    const { resourceMetrics } = await this.#exporter.collect();
    return new PrometheusSerializer().serialize(resourceMetrics);
  }

  async scrape(): Promise<Scrape> {
    return new Scrape(await this.text());
  }
}
