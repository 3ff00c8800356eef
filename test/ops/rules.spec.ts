import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Instance } from '../../sample-app/demo/instance.process.mjs';
import { findPrometheus, type PrometheusTools } from '../../tools/prometheus/prometheus.finder.mjs';
import { runCommand } from '../../tools/redis/command.runner.mjs';
import { findFreePort } from '../../tools/redis/redis.probe.mjs';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';
import { instrumentLocks } from '../../libs/distributed-lock/src/metrics/index.js';
import { Meters } from '../observability/meters.js';
import { Services } from '../support/services.js';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import {
  CASES,
  countCases,
  DASHBOARD,
  namesIn,
  read,
  readAlerts,
  readDashboard,
  RULES,
} from './alert.files.js';
import { Prometheus } from './prometheus.process.js';

/** Undefined where the machine has none. */
const tools = await findPrometheus().catch((error: unknown): PrometheusTools | undefined => {
  if (error instanceof Unavailable) return undefined;
  throw error;
});

const ALERTS = [
  ...['JobDidNotRun', 'JobRunsTooLong', 'JobCrashed', 'JobAbandoned', 'JobFailed', 'JobPausedForLong'],
  ...['TicksUnclaimed', 'LockLost', 'WaitersPileUp', 'RenewalsUnknown'],
];

/** The metrics and labels that the library exports, as Prometheus reads them. */
async function exportedNames(): Promise<Set<string>> {
  const services = new Services();
  try {
    const locks = await services.open({ lockWatchdogTimeout: 400 });
    const meters = new Meters();
    instrumentLocks(locks, { meterProvider: meters.meterProvider });
    locks.ticks.jobs.follow('nightly', { register: () => Promise.resolve(), isOn: () => true });
    const renewed = locks.getLock('a').lock();
    await until('a lease is renewed', async () => (await meters.scrape()).of('renewals_total') > 0);
    await (await renewed).unlock();
    const lost = await locks.getLock('b').lock();
    await services.admin.del(`${services.prefix}b`);
    expect(await lost.unlock()).toBe('lost');
    await locks.runOnce('once', 1000, () => undefined);
    await locks.jobs.forget('once');
    const text = await meters.text();
    const metrics = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    );
    const labels = [...text.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label);
    return new Set([...metrics, ...labels]);
  } finally {
    await services.close();
  }
}

describe('the alerts', () => {
  test('are the ten of the list, each with a severity, a text, a runbook, and a place in the README', () => {
    const alerts = readAlerts();
    expect(alerts.map(({ name }) => name).toSorted()).toEqual(ALERTS.toSorted());
    const [head = ''] = read(RULES).split('\ngroups:');
    for (const { name, severity, summary, description, runbook = '' } of alerts) {
      expect(['critical', 'warning'], name).toContain(severity);
      expect([summary, description], name).not.toContain(undefined);
      expect(existsSync(runbook), `${name}: ${runbook}`).toBe(true);
      expect(read(runbook), name).toMatch(new RegExp(`^# ${name}\n`));
      expect(head).toMatch(new RegExp(`^# +${name} +${severity} `, 'm'));
      expect(read('ops/README.md')).toContain(`[${name}](${runbook.replace('ops/', '')})`);
    }
  });

  test('are tested each where they fire, and where they do not', () => {
    const counts = countCases();
    expect([...counts.keys()].toSorted()).toEqual(ALERTS.toSorted());
    for (const [name, { fires, silent }] of counts)
      expect([Math.min(fires, 1), Math.min(silent, 1)], name).toEqual([1, 1]);
  });

  test('and the dashboard use metrics and labels that the library exports', async () => {
    const exported = await exportedNames();
    const recorded = new Set([...read(RULES).matchAll(/- record: (\S+)/g)].map(([, name = '']) => name));
    for (const file of [RULES, CASES, DASHBOARD]) {
      const names = namesIn(read(file));
      expect(names.exported.size, file).toBeGreaterThan(3);
      expect(
        [...names.exported].filter((name) => !exported.has(name)),
        file,
      ).toEqual([]);
      expect(
        [...names.recorded].filter((name) => !recorded.has(name)),
        file,
      ).toEqual([]);
    }
  });
});

test('the dashboard has its rows, and every panel asks the data source that is chosen', () => {
  const { panels, templating } = readDashboard();
  expect(panels.filter(({ type }) => type === 'row').map(({ title }) => title)).toEqual([
    'Jobs',
    'Locks',
    'Instances',
  ]);
  expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
  for (const { title, type, datasource, targets = [] } of panels) {
    if (type === 'row') continue;
    expect(datasource?.uid, title).toBe('${datasource}');
    expect(targets.length, title).toBeGreaterThan(0);
    for (const { expr } of targets) expect(expr, title).toMatch(/distributed_lock_\w+\{/);
  }
});

describe.skipIf(tools === undefined)('Prometheus', () => {
  const { prometheus, promtool } = tools ?? { prometheus: '', promtool: '' };

  test.each<readonly [string, ...string[]]>([
    ['accepts the rules', 'check', 'rules', RULES],
    ['accepts the configuration of the composition', 'check', 'config', 'ops/prometheus/prometheus.yml'],
    ['fires each alert when it should, and not otherwise', 'test', 'rules', CASES],
  ])(
    '%s',
    async (_, ...args) => {
      const { ok, output } = await runCommand(promtool, args);
      expect(ok, output).toBe(true);
    },
    scaled(60_000),
  );

  test(
    'fires JobDidNotRun for each job of the sample app when all its instances are killed',
    async () => {
      const redis = await startRedis();
      const ports = [await findFreePort(), await findFreePort()];
      const env = { REDIS_URL: redis.url, LOCK_WATCHDOG_TIMEOUT: '1000' };
      const instances = ports.map(
        (port, index) => new Instance({ name: `instance-${index}`, port, unsafe: false, env }),
      );
      const rules = read(RULES).replace('job_overdue:max >= 60', 'job_overdue:max >= 3');
      expect(rules).not.toBe(read(RULES));
      let server: Prometheus | undefined;
      try {
        const { signal } = new AbortController();
        await Promise.all(instances.map((instance) => instance.ready(signal)));
        server = await Prometheus.start({
          binary: prometheus,
          rules,
          application: 'bank',
          targets: ports.map((port) => `127.0.0.1:${port}`),
        });
        const seen = server;
        await until(
          'both jobs have run, as Prometheus sees them',
          async () =>
            (await seen.query('max by (distributed_lock_job) (distributed_lock_job_last_success) > 0'))
              .size === 2,
          30_000,
        );
        await until(
          'their next ticks are recorded',
          async () => (await seen.query('distributed_lock:job_next:max > 0')).size === 2,
        );
        expect(await seen.alerts('JobDidNotRun')).toEqual([]);
        for (const instance of instances) instance.kill();
        // Periods of 2 and 5 s, the grace, and a few scrapes.
        await until(
          'the alert fires for both',
          async () => {
            const firing = (await seen.alerts('JobDidNotRun')).filter(({ state }) => state === 'firing');
            const jobs = firing.map(({ labels }) => labels['distributed_lock_job']);
            return jobs.toSorted().join() === 'billing,statistics';
          },
          15_000,
        );
      } finally {
        for (const instance of instances) instance.kill();
        await Promise.all(instances.map((instance) => instance.stop(5000)));
        await server?.stop();
        await redis.stop();
      }
    },
    scaled(120_000),
  );
});
