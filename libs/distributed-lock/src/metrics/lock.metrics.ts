import {
  metrics,
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
} from '@opentelemetry/api';
import { DistributedLockError, LockConfigurationError } from '../errors/lock.errors.js';
import type {
  AcquiredEvent,
  AcquisitionEvent,
  FailedEvent,
  LockKindName,
  LockListener,
  LostEvent,
  RefusedEvent,
  ReleasedEvent,
  RenewedEvent,
} from '../events/lock.event.types.js';
import { optionNames, readOptions } from '../options/option.checks.js';
import { takeInventory } from '../service/process.inventory.js';
import type { LockService } from '../service/lock.service.js';
import { jobInstruments } from './job.instruments.js';
import { observeJobs } from './job.metrics.js';
import { LockAttributes, outcome } from './lock.attributes.js';
import { lockInstruments, type LockInstruments } from './lock.instruments.js';
import { TickMetrics } from './tick.metrics.js';

/** Options of the metrics. */
export interface LockMetricsOptions {
  /** The OpenTelemetry meter provider. @default the global meter provider when the measuring starts */
  readonly meterProvider?: MeterProvider | undefined;
  /**
   * Maps the name of a lock or job to the value of the attribute `distributed_lock.name`. Each value is a
   * separate time series, so map names with an id to one value, such as `account:1` to `account`. If the
   * function returns `undefined`, the attribute is omitted.
   * @default the attribute is omitted
   */
  readonly nameOf?: ((lock: string) => string | undefined) | undefined;
  /**
   * Whether jobs are measured: by the instruments `distributed_lock.job.*`. `distributed_lock.ticks` then has the
   * name of the job as the attribute `distributed_lock.job`. Each collection then reads the list of jobs and of
   * instances from Redis, for at most 1 s. The first 1000 jobs are measured.
   * @default true
   */
  readonly jobs?: boolean | undefined;
  /**
   * The value of the attribute `distributed_lock.service`, which tells apart several module instances that share a
   * meter provider. `DistributedLockMetricsModule` sets it to the name of the instance.
   * @default the attribute is omitted
   */
  readonly service?: string | undefined;
}

const OPTIONS = optionNames<LockMetricsOptions>({
  meterProvider: true,
  nameOf: true,
  jobs: true,
  service: true,
});

/**
 * Starts to measure the locks of a module instance.
 * @param locks the service of the module instance
 * @param options each option documents its default
 * @returns a function that stops the measurement
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function instrumentLocks(locks: LockService, options: LockMetricsOptions = {}): () => void {
  return measureLocks(locks, options, undefined);
}

/** As {@link instrumentLocks}. @param name of the module instance, unless the options have one */
export function measureLocks(
  locks: LockService,
  given: LockMetricsOptions,
  name: string | undefined,
): () => void {
  const options = readOptions(given, { known: OPTIONS, where: 'of the metrics' });
  check(options);
  const meter = (options.meterProvider ?? metrics).getMeter('nestjs-distributed-lock');
  const { nameOf = () => undefined, jobs: hasJobs = true, service = name } = options;
  const instruments = lockInstruments(meter);
  const ofJobs = hasJobs ? jobInstruments(meter) : undefined;
  const attributes = new LockAttributes({ nameOf, hasJobs, service });
  const ticks = new TickMetrics({ ...instruments, unclaimed: ofJobs?.unclaimed }, attributes);
  const endings = [
    locks.events.listen(new LockMetrics(instruments, attributes)),
    locks.events.listen(ticks),
    observeInventory(meter, instruments, { locks, ofService: attributes.ofService }),
  ];
  if (ofJobs !== undefined)
    endings.push(
      observeJobs(meter, ofJobs.gauges, {
        locks,
        ofService: attributes.ofService,
        create: (job) => ticks.create(job),
      }),
    );
  return () => {
    for (const end of endings) end();
  };
}

/** @throws LockConfigurationError `INVALID_OPTION` */
function check(options: LockMetricsOptions): void {
  const { nameOf, meterProvider } = options;
  const jobs: unknown = options.jobs;
  const service: unknown = options.service;
  if (nameOf !== undefined && typeof nameOf !== 'function')
    throw new LockConfigurationError('INVALID_OPTION', 'nameOf of the metrics must be a function.');
  if (jobs !== undefined && typeof jobs !== 'boolean')
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `jobs of the metrics must be true or false, not ${String(jobs)}.`,
    );
  if (service !== undefined && (typeof service !== 'string' || service === ''))
    throw new LockConfigurationError(
      'INVALID_OPTION',
      'service of the metrics must be the name of a module instance.',
    );
  if (meterProvider !== undefined && typeof meterProvider?.getMeter !== 'function')
    throw new LockConfigurationError('INVALID_OPTION', 'meterProvider must be a MeterProvider.');
}

function observeInventory(
  meter: Meter,
  { held, waiting }: LockInstruments,
  { locks, ofService }: { readonly locks: LockService; readonly ofService: Attributes },
): () => void {
  // A kind that was there is still reported, as 0: a series that ends looks like one that is not measured.
  const kinds = new Set<LockKindName>();
  const observe = (result: BatchObservableResult) => {
    const rows = new Map(takeInventory(locks).map((row) => [row.kind, row]));
    for (const kind of rows.keys()) kinds.add(kind);
    for (const kind of kinds) {
      const attributes = { ...ofService, 'distributed_lock.kind': kind };
      const row = rows.get(kind);
      result.observe(held, row?.held ?? 0, attributes);
      result.observe(waiting, row?.waiting ?? 0, attributes);
    }
  };
  meter.addBatchObservableCallback(observe, [held, waiting]);
  return () => meter.removeBatchObservableCallback(observe, [held, waiting]);
}

/** Turns events into figures. */
class LockMetrics implements LockListener {
  constructor(
    private readonly to: LockInstruments,
    private readonly attributes: LockAttributes,
  ) {}

  attempt(event: AcquisitionEvent): void {
    this.to.attempts.add(1, this.#attributes(event));
  }

  acquired(event: AcquiredEvent): void {
    this.#answered(event, { outcome: 'acquired' });
  }

  refused(event: RefusedEvent): void {
    this.#answered(event, { outcome: 'refused' });
  }

  failed(event: FailedEvent): void {
    this.#answered(event, { outcome: 'failed', error: event.error });
  }

  released(event: ReleasedEvent): void {
    this.to.hold.record(event.held / 1000, { ...this.#attributes(event), ...outcome(event.outcome) });
  }

  lost(event: LostEvent): void {
    const attributes = this.#attributes(event);
    this.to.lost.add(1, attributes);
    this.to.hold.record(event.held / 1000, { ...attributes, ...outcome('lost') });
  }

  renewed(event: RenewedEvent): void {
    this.to.renewals.add(1, { ...this.#attributes(event), ...outcome('renewed') });
  }

  unknown(event: RenewedEvent): void {
    this.to.renewals.add(1, { ...this.#attributes(event), ...outcome('unknown') });
  }

  #answered(
    event: AcquisitionEvent & { readonly waited: number },
    answer: { readonly outcome: string; readonly error?: unknown },
  ): void {
    const attributes = { ...this.#attributes(event), ...outcome(answer.outcome), ...errorOf(answer.error) };
    this.to.acquisitions.add(1, attributes);
    this.to.wait.record(event.waited / 1000, attributes);
  }

  #attributes(event: RenewedEvent | AcquisitionEvent): Attributes {
    return {
      'distributed_lock.kind': event.kind,
      ...('isReentry' in event && event.isReentry ? { 'distributed_lock.reentry': true } : {}),
      ...this.attributes.ofName(event.lock),
    };
  }
}

/** A word, and not a sentence: each value is a time series. */
function errorOf(error: unknown): Attributes {
  if (error === undefined) return {};
  if (error instanceof DistributedLockError) return { 'error.type': error.code };
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' };
}
