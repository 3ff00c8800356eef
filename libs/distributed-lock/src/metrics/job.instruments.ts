import type { Counter, Meter, ObservableGauge } from '@opentelemetry/api';

/** What shows the state of the fleet's jobs. */
export interface JobGauges {
  readonly lastSuccess: ObservableGauge;
  readonly next: ObservableGauge;
  readonly paused: ObservableGauge;
  readonly overdue: ObservableGauge;
  readonly running: ObservableGauge;
  readonly instances: ObservableGauge;
}

/** What the jobs of the fleet are measured by. */
export interface JobInstruments {
  readonly gauges: JobGauges;
  readonly unclaimed: Counter;
}

/** The names are part of the public API: dashboards and alerts stand on them. */
export function jobInstruments(meter: Meter): JobInstruments {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`distributed_lock.job.${name}`, { unit, description });
  return {
    gauges: {
      lastSuccess: gauge('last_success', 's', 'When a run completed last, in epoch seconds; 0: never.'),
      next: gauge('next', 's', 'When the next tick is due, in epoch seconds; 0: unknown.'),
      paused: gauge('paused', '1', '1 while the job is paused, otherwise 0.'),
      overdue: gauge(
        'overdue',
        's',
        'How long ago the next tick was due; 0 while it is not due, and while the job is paused or running.',
      ),
      running: gauge('running', 's', 'How long the current run has lasted; 0 without one.'),
      instances: gauge('instances', '{instance}', 'Instances that report themselves and have the job on.'),
    },
    unclaimed: meter.createCounter('distributed_lock.job.unclaimed', {
      unit: '{tick}',
      description: 'Ticks that this instance could not claim, because Redis was away or refused.',
    }),
  };
}
