import { readFileSync } from 'node:fs';

export const RULES = 'ops/prometheus/rules.yml';
export const CASES = 'ops/prometheus/rules.test.yml';
export const DASHBOARD = 'ops/grafana/dashboard.json';

/** A panel of the dashboard; a row has no targets. */
export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string }[];
}

export interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
}

/** What a rule file says of an alert. */
export interface AlertText {
  readonly name: string;
  readonly severity: string | undefined;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly runbook: string | undefined;
}

export function read(file: string): string {
  return readFileSync(file, 'utf8');
}

export function readDashboard(): Dashboard {
  const dashboard: Dashboard = JSON.parse(read(DASHBOARD));
  return dashboard;
}

/** The alerts of the rules, in order. */
export function readAlerts(): AlertText[] {
  const [, ...blocks] = read(RULES).split('- alert: ');
  return blocks.map((block) => {
    const of = (key: string) => new RegExp(`^ +${key}: *(?:>-\n +)?(\\S.*)$`, 'm').exec(block)?.[1];
    return {
      name: /^\w+/.exec(block)?.[0] ?? '',
      severity: of('severity'),
      summary: of('summary'),
      description: of('description'),
      runbook: of('runbook'),
    };
  });
}

/** How often each alert is tested: in cases in which it fires, and in which it does not. */
export function countCases(): Map<string, { fires: number; silent: number }> {
  const counts = new Map<string, { fires: number; silent: number }>();
  const [, ...blocks] = read(CASES).split('- eval_time: ');
  for (const block of blocks) {
    const name = /alertname: (\w+)/.exec(block)?.[1] ?? '';
    const { fires, silent } = counts.get(name) ?? { fires: 0, silent: 0 };
    const isFiring = block.includes('exp_alerts:');
    counts.set(name, { fires: fires + (isFiring ? 1 : 0), silent: silent + (isFiring ? 0 : 1) });
  }
  return counts;
}

/** The metrics and labels of the library that a text names, and the series that the rules record. */
export function namesIn(text: string): { exported: Set<string>; recorded: Set<string> } {
  return {
    exported: new Set(text.match(/\bdistributed_lock_\w+/g)),
    recorded: new Set(text.match(/\bdistributed_lock:[\w:]+/g)),
  };
}
