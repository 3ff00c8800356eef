import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import type { LockService } from '../service/lock.service.js';
import type { JobGauges } from './job.instruments.js';
import { JobReadings, type JobFacts } from './job.readings.js';

/** Whose jobs are observed. */
export interface ObservedJobs {
  readonly locks: LockService;
  /** Attributes of each series. */
  readonly ofService: Attributes;
  /** Begins the counters of a job of this process. */
  readonly create: (job: string) => void;
}

/**
 * Observes the jobs of the fleet.
 * @returns a function that ends the observation
 */
export function observeJobs(
  meter: Meter,
  gauges: JobGauges,
  { locks, ofService, create }: ObservedJobs,
): () => void {
  const readings = new JobReadings(locks);
  const observe = async (result: BatchObservableResult) => {
    // Counters are collected after the callbacks: these zeros are in the same scrape.
    for (const { job } of locks.ticks.jobs.own) create(job);
    await readings.refresh();
    const at = locks.ticks.clock.now();
    for (const facts of readings.facts) {
      const attributes = { ...ofService, 'distributed_lock.job': facts.job };
      const { isPaused, ...seconds } = figuresOf(facts, at, readings.mayRun);
      result.observe(gauges.lastSuccess, seconds.lastSuccess, attributes);
      result.observe(gauges.next, seconds.next, attributes);
      result.observe(gauges.overdue, seconds.overdue, attributes);
      result.observe(gauges.running, seconds.running, attributes);
      result.observe(gauges.paused, isPaused ? 1 : 0, attributes);
      result.observe(gauges.instances, facts.instances, attributes);
    }
  };
  const instruments: Observable[] = Object.values(gauges);
  meter.addBatchObservableCallback(observe, instruments);
  return () => meter.removeBatchObservableCallback(observe, instruments);
}

/** @param at the store's time, epoch ms; undefined before its first reply */
function figuresOf({ status }: JobFacts, at: number | undefined, mayRun: boolean) {
  const since = (instant: number | undefined) =>
    at === undefined || instant === undefined ? 0 : Math.max(0, at - instant) / 1000;
  const run = mayRun ? status?.running : undefined;
  const isPaused = status?.paused !== undefined;
  return {
    isPaused,
    lastSuccess: (status?.lastSuccess ?? 0) / 1000,
    next: (status?.next ?? 0) / 1000,
    overdue: isPaused || run !== undefined ? 0 : since(status?.next),
    running: since(run?.start),
  };
}
