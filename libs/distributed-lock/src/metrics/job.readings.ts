import type { JobStatus } from '../contracts/job.contract.js';
import type { LockInstance } from '../contracts/fleet.contract.js';
import type { LockService } from '../service/lock.service.js';
import { now } from '../timing/monotonic.clock.js';
import { MOST_JOBS } from './lock.attributes.js';

/** The longest time that a collection waits for Redis, in ms. */
const READ_WITHIN = 1000;

/** The most jobs that are exported after they are gone. */
const MOST_GONE = 500;

/** What is known of a job. */
export interface JobFacts {
  readonly job: string;
  /** Undefined where the record of the job was never read, or is gone. */
  readonly status: JobStatus | undefined;
  /** Instances that report themselves and have the job on. */
  readonly instances: number;
}

/** The state of the fleet's jobs as it was read last. */
export class JobReadings {
  #jobs: ReadonlyMap<string, JobStatus> = new Map();
  /** Jobs that were in the list and are in it no more, the newest last. */
  readonly #gone = new Set<string>();
  #instances: readonly LockInstance[] = [];
  /** When the jobs were read last, on the monotonic clock. */
  #readAt = -Infinity;
  #reading: Promise<void> | undefined;

  constructor(private readonly locks: LockService) {}

  /** Reads the state, within {@link READ_WITHIN}: what could not be read stays as it was. Calls at the same time share one reading. */
  async refresh(): Promise<void> {
    const { isConnected, outside, wheel } = this.locks.engine.context;
    // A connection that is made by the first command must not be made by this one.
    if (!isConnected) return;
    this.#reading ??= outside(() => this.#read()).finally(() => (this.#reading = undefined));
    await wheel.within(READ_WITHIN, this.#reading);
  }

  /** The jobs of this process, those of the list, and those that were in it: an SDK keeps the last value of a series, so a job that is gone has to be 0. */
  get facts(): JobFacts[] {
    const on = this.#countOn();
    const own = this.locks.ticks.jobs.own.map(({ job }) => job);
    const names = [...new Set([...own, ...this.#jobs.keys()])].slice(0, MOST_JOBS);
    return [...new Set([...names, ...this.#gone])].map((job) => ({
      job,
      status: this.#jobs.get(job),
      instances: on.get(job) ?? 0,
    }));
  }

  /** Whether a run that was read may still have its lock: without Redis its lease has ended by now. */
  get mayRun(): boolean {
    return now() - this.#readAt < this.locks.settings.watchdogTimeout;
  }

  async #read(): Promise<void> {
    const began = now();
    const [jobs, instances] = await Promise.allSettled([
      this.locks.jobs.list({ limit: MOST_JOBS }),
      this.locks.fleet.instances(),
    ]);
    if (instances.status === 'fulfilled') this.#instances = instances.value;
    if (jobs.status !== 'fulfilled') return;
    const listed = new Map<string, JobStatus>(jobs.value.map((status) => [status.job, status]));
    // A list that was cut does not say which jobs are gone, and lacks some of this process.
    if (listed.size < MOST_JOBS) this.#noteGone(listed);
    else await this.#addOwn(listed);
    this.#jobs = listed;
    this.#readAt = began;
  }

  async #addOwn(listed: Map<string, JobStatus>): Promise<void> {
    const missing = this.locks.ticks.jobs.own.filter(({ job }) => !listed.has(job));
    const read = missing.map(async ({ job }) => {
      const status = await this.locks.jobs.status(job).catch(() => this.#jobs.get(job));
      if (status !== undefined) listed.set(job, status);
    });
    await Promise.all(read);
  }

  #noteGone(listed: ReadonlyMap<string, JobStatus>): void {
    for (const job of this.#jobs.keys()) this.#gone.add(job);
    for (const job of listed.keys()) this.#gone.delete(job);
    for (const job of this.#gone) {
      if (this.#gone.size <= MOST_GONE) break;
      this.#gone.delete(job);
    }
  }

  #countOn(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { jobs } of this.#instances)
      for (const { job, isOn } of jobs) if (isOn) counts.set(job, (counts.get(job) ?? 0) + 1);
    return counts;
  }
}
