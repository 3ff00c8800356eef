import type { Attributes, Counter } from '@opentelemetry/api';
import type {
  LockListener,
  TickAbandonedEvent,
  TickCrashedEvent,
  TickFinishedEvent,
  TickMissedEvent,
  TickSkippedEvent,
  TickUnclaimedEvent,
} from '../events/lock.event.types.js';
import { MOST_JOBS, outcome, type LockAttributes } from './lock.attributes.js';
import type { LockInstruments } from './lock.instruments.js';

/** The outcomes of ticks that alerts ask for. */
const OUTCOMES = ['completed', 'failed', 'lost', 'missed', 'crashed', 'abandoned'];

const REASONS: Readonly<Record<TickSkippedEvent['why'], true>> = {
  taken: true,
  overlapped: true,
  queued: true,
  paused: true,
};

/** Counts ticks. */
export class TickMetrics implements LockListener {
  readonly #created = new Set<string>();

  /** @param to `unclaimed`: undefined where jobs are not measured */
  constructor(
    private readonly to: Pick<LockInstruments, 'ticks' | 'tick'> & {
      readonly unclaimed: Counter | undefined;
    },
    private readonly attributes: LockAttributes,
  ) {}

  /** Begins the series of a job of this process with 0: without it the first tick of an outcome would be no increase. */
  create(job: string): void {
    if (this.#created.has(job) || this.#created.size >= MOST_JOBS) return;
    this.#created.add(job);
    for (const verdict of OUTCOMES) this.to.ticks.add(0, this.#tick(job, verdict));
    for (const reason of Object.keys(REASONS)) this.to.ticks.add(0, this.#skipped(job, reason));
    this.to.unclaimed?.add(0, this.attributes.ofJob(job));
  }

  tickFinished({ job, outcome: verdict, held }: TickFinishedEvent): void {
    this.to.ticks.add(1, this.#tick(job, verdict));
    // A histogram of each job would be 17 series for each of its outcomes.
    this.to.tick.record(held / 1000, { ...this.attributes.ofName(job), ...outcome(verdict) });
  }

  tickSkipped({ job, why }: TickSkippedEvent): void {
    this.to.ticks.add(1, this.#skipped(job, why));
  }

  tickMissed({ job, count }: TickMissedEvent): void {
    this.to.ticks.add(count, this.#tick(job, 'missed'));
  }

  tickCrashed({ job }: TickCrashedEvent): void {
    this.to.ticks.add(1, this.#tick(job, 'crashed'));
  }

  tickAbandoned({ job }: TickAbandonedEvent): void {
    this.to.ticks.add(1, this.#tick(job, 'abandoned'));
  }

  tickUnclaimed({ job }: TickUnclaimedEvent): void {
    this.to.unclaimed?.add(1, this.attributes.ofJob(job));
  }

  #skipped(job: string, reason: string): Attributes {
    return { ...this.#tick(job, 'skipped'), 'distributed_lock.reason': reason };
  }

  #tick(job: string, verdict: string): Attributes {
    return { ...this.attributes.ofJob(job), ...outcome(verdict) };
  }
}
