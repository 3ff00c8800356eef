import type { Counter, Histogram, Meter, ObservableUpDownCounter } from '@opentelemetry/api';

/** What the locks of a module instance are measured by. */
export interface LockInstruments {
  readonly attempts: Counter;
  readonly acquisitions: Counter;
  readonly lost: Counter;
  readonly renewals: Counter;
  readonly ticks: Counter;
  readonly wait: Histogram;
  readonly hold: Histogram;
  readonly tick: Histogram;
  readonly held: ObservableUpDownCounter;
  readonly waiting: ObservableUpDownCounter;
}

/** From a round trip to a long job, in s: the default boundaries are meant for ms. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The names are part of the public API: dashboards and alerts stand on them. */
export function lockInstruments(meter: Meter): LockInstruments {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`distributed_lock.${name}`, { unit, description });
  const seconds = (name: string, description: string) =>
    meter.createHistogram(`distributed_lock.${name}`, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: SECONDS },
    });
  const level = (name: string, unit: string, description: string) =>
    meter.createObservableUpDownCounter(`distributed_lock.${name}`, { unit, description });
  return {
    attempts: counter('attempts', '{attempt}', 'Calls that requested a lock.'),
    acquisitions: counter('acquisitions', '{acquisition}', 'Calls that have ended, by outcome.'),
    lost: counter('lost', '{acquisition}', 'Acquisitions that ended before they were unlocked.'),
    renewals: counter('renewals', '{renewal}', 'Renewals of leases, by outcome.'),
    ticks: counter('ticks', '{tick}', 'Ticks of scheduled jobs that this instance reports, by outcome.'),
    wait: seconds('wait.duration', 'Time from the call to its result.'),
    hold: seconds('hold.duration', 'Time from the grant to the end of the release, or to the loss.'),
    tick: seconds('tick.duration', 'Time from the claim of a tick to the end of its run.'),
    held: level('held', '{lock}', 'Locks that this process holds.'),
    waiting: level('waiting', '{caller}', 'Callers of this process that wait for a lock.'),
  };
}
