import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { until } from '../support/until.js';

/** An alert that is pending or firing. */
export interface Alert {
  readonly state: 'pending' | 'firing';
  readonly labels: Readonly<Record<string, string>>;
}

interface PrometheusPlan {
  readonly binary: string;
  /** The text of the rules. */
  readonly rules: string;
  readonly application: string;
  /** `host:port` of each instance. */
  readonly targets: readonly string[];
}

/** A Prometheus that scrapes and evaluates every second, in a folder of its own. */
export class Prometheus {
  private constructor(
    private readonly folder: string,
    private readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start({ binary, rules, application, targets }: PrometheusPlan): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const port = await findFreePort();
    await writeFile(join(folder, 'rules.yml'), rules);
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: [{ job_name: application, static_configs: [{ targets }] }],
    };
    // JSON is YAML, too.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const args = [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    const child = spawn(binary, args, { cwd: folder, stdio: 'ignore' });
    child.unref();
    process.once('exit', () => child.kill('SIGKILL'));
    const prometheus = new Prometheus(folder, `http://127.0.0.1:${port}`, child);
    try {
      await until('Prometheus is ready', () => prometheus.#isReady(), 20_000);
    } catch (error) {
      await prometheus.stop();
      throw error;
    }
    return prometheus;
  }

  /** The values of the series that an expression gives, by the label `distributed_lock_job`. */
  async query(expression: string): Promise<Map<string, number>> {
    const { result } = await this.#get<{
      result: readonly { metric: Readonly<Record<string, string>>; value: readonly [number, string] }[];
    }>(`query?query=${encodeURIComponent(expression)}`);
    return new Map(
      result.map(({ metric, value }) => [metric['distributed_lock_job'] ?? '', Number(value[1])]),
    );
  }

  /** The alerts of that name. */
  async alerts(name: string): Promise<Alert[]> {
    const { alerts } = await this.#get<{ alerts: Alert[] }>('alerts');
    return alerts.filter(({ labels }) => labels['alertname'] === name);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/-/ready`).catch(() => undefined);
    return answer?.ok === true;
  }

  async #get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${path}`);
    const { data }: { data: T } = JSON.parse(await answer.text());
    return data;
  }
}
