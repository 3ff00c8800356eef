import type { Attributes } from '@opentelemetry/api';

/** The most jobs with time series of their own. */
export const MOST_JOBS = 1000;

/** The attributes that tell the jobs and locks of a measurement apart. */
export class LockAttributes {
  /** The attribute that distinguishes module instances with one meter provider. */
  readonly ofService: Attributes;
  readonly #jobs = new Set<string>();

  /** @param options `hasJobs`: whether jobs have an attribute of their own; `service`: the name of the module instance */
  constructor(
    private readonly options: {
      readonly nameOf: (lock: string) => string | undefined;
      readonly hasJobs: boolean;
      readonly service?: string | undefined;
    },
  ) {
    const { service } = options;
    this.ofService = service === undefined ? {} : { 'distributed_lock.service': service };
  }

  /** What `nameOf` makes of the name of a lock or job. */
  ofName(lock: string): Attributes {
    const name = this.options.nameOf(lock);
    return name === undefined ? this.ofService : { ...this.ofService, 'distributed_lock.name': name };
  }

  /** The name of a job is one of few, except with `runOnce()`: jobs after the first {@link MOST_JOBS} are counted together. */
  ofJob(job: string): Attributes {
    const attributes = this.ofName(job);
    if (!this.options.hasJobs) return attributes;
    if (this.#jobs.size < MOST_JOBS) this.#jobs.add(job);
    return this.#jobs.has(job) ? { ...attributes, 'distributed_lock.job': job } : attributes;
  }
}

/** The attribute with the outcome of a tick, a hold, a renewal or a request. */
export function outcome(value: string): Attributes {
  return { 'distributed_lock.outcome': value };
}
