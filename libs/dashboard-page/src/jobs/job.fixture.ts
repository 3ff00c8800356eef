import type {
  DashboardJob,
  DashboardRun,
} from '../../../distributed-lock/src/dashboard-feeds/dashboard.model.js';

/** A job for a test: on in one instance, and idle. */
export function jobOf(name: string, facts: Partial<DashboardJob> = {}): DashboardJob {
  return {
    name,
    apps: [],
    schedule: '* * * * *',
    counts: {},
    instances: ['host:1'],
    isFleetKnown: true,
    strip: [],
    ...facts,
  };
}

/** A run of 500 ms for a test. */
export function runOf(outcome: string, start: number): DashboardRun {
  return { tick: start, outcome, attempt: 1, app: 'app', instance: 'host:1', start, end: start + 500 };
}
