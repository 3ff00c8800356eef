import type { JobStatus, ListedJob } from '../contracts/job.contract.js';
import type { LockInstance } from '../contracts/fleet.contract.js';
import type { LockService } from '../service/lock.service.js';
import { now } from '../timing/monotonic.clock.js';
import { MOST_JOBS } from './lock.attributes.js';

/** The longest time that a collection waits for Redis, in ms. */
const READ_WITHIN = 1000;

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
  #jobs: readonly ListedJob[] = [];
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
    this.#reading ??= outside(() => this.#read());
    await wheel.within(READ_WITHIN, this.#reading);
  }

  /** The jobs of this process, and those of the list. */
  get facts(): JobFacts[] {
    const listed = new Map(this.#jobs.map((status) => [status.job, status]));
    const on = this.#countOn();
    const own = this.locks.ticks.jobs.own.map(({ job }) => job);
    const names = [...new Set([...own, ...listed.keys()])].slice(0, MOST_JOBS);
    return names.map((job) => ({ job, status: listed.get(job), instances: on.get(job) ?? 0 }));
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
    this.#reading = undefined;
    if (instances.status === 'fulfilled') this.#instances = instances.value;
    if (jobs.status !== 'fulfilled') return;
    this.#jobs = jobs.value;
    this.#readAt = began;
  }

  #countOn(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { jobs } of this.#instances)
      for (const { job, isOn } of jobs) if (isOn) counts.set(job, (counts.get(job) ?? 0) + 1);
    return counts;
  }
}
