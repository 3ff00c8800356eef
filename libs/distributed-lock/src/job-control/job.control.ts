import type {
  ForgetOptions,
  JobControl,
  JobStatus,
  ListedJob,
  ListOptions,
  RunNowOptions,
  RunsOptions,
} from '../contracts/job.contract.js';
import type { InstanceJob } from '../contracts/fleet.contract.js';
import type { TickRecord } from '../contracts/tick.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { JobIndex } from './job.index.js';
import { jobKeys } from './job.keys.js';
import { MOST_LISTED, PAGE, type JobEntry, type JobListScripts } from './job.list.scripts.js';
import { MOST_KEPT, type JobScripts, type Registered } from './job.scripts.js';
import {
  checkLimit,
  checkOptionNames,
  invalidOption,
  optionNames,
  parseDuration,
} from '../options/option.checks.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { OwnJob, JobInstants } from './own.job.js';
import { requestRun } from './run.request.js';
import { readRecords, readStatus } from './job.records.js';
import { showAs } from '../objects/object.form.js';

const RUN_NOW = optionNames<RunNowOptions>({ timeout: true });

const FORGET = optionNames<ForgetOptions>({ force: true });

const LIST = optionNames<ListOptions>({ limit: true });

const RUNS = optionNames<RunsOptions>({ limit: true });

/** Jobs of a list that are read at the same time, and the records of runs that are read of each. */
const ABREAST = 50;
const RECORDS = 10;

/** The state of the fleet's jobs, and the operations on them. */
export class JobControlService implements JobControl {
  static {
    showAs(JobControlService, () => ({ type: 'JobControl' }));
  }

  readonly #engine: LockEngine;
  readonly #scripts: JobScripts;
  readonly #list: JobListScripts;
  readonly #index: JobIndex;
  readonly #instance: string;
  /** The scheduled jobs of this process, by name: methods may share one. */
  readonly #own = new Map<string, Set<OwnJob>>();

  constructor(
    engine: LockEngine,
    { jobs, list }: { readonly jobs: JobScripts; readonly list: JobListScripts },
    /** The name of this process, for the record. */
    instance: string,
  ) {
    this.#engine = engine;
    this.#scripts = jobs;
    this.#list = list;
    this.#index = new JobIndex(engine.context, list);
    this.#instance = instance;
  }

  /** @throws LockConfigurationError `INVALID_NAME`, `KIND_CONFLICT` */
  targetOf(job: string): LockTarget {
    return this.#engine.target('reentrant', job);
  }

  /** Notes a scheduled job of this process: an operation on the job waits until it is registered, also again after its record was deleted. */
  follow(job: string, own: OwnJob): void {
    const all = this.#own.get(job) ?? new Set();
    this.#own.set(job, all.add(own));
  }

  /** The scheduled jobs of this process, by name. */
  get own(): InstanceJob[] {
    const jobs = [...this.#own].map(([job, all]) => ({ job, isOn: [...all].some(({ isOn }) => isOn()) }));
    return jobs.toSorted((one, other) => (one.job < other.job ? -1 : 1));
  }

  unfollow(job: string, own: OwnJob): void {
    const all = this.#own.get(job);
    all?.delete(own);
    if (all?.size !== 0) return;
    this.#own.delete(job);
    this.#index.leave(job);
  }

  /** Adds a job of this process to the list of all jobs. */
  enlist({ name, key }: Pick<LockTarget, 'name' | 'key'>): void {
    this.#index.add({ job: name, key });
  }

  /** From now on no job of this process is listed again. */
  close(): void {
    this.#index.close();
  }

  /**
   * Registers a job, so that its ticks run from now on.
   * @param schedule distinguishes one schedule from another
   * @param instants of that schedule
   * @param former the schedule with which this process registered it before: that it was changed is no surprise
   * @returns the mark of the job, its newest tick with a verdict; and since when it has this schedule, if it had another one before
   */
  async register(job: string, schedule: string, instants: JobInstants, former?: string): Promise<Registered> {
    const { notices } = this.#engine.context;
    const keys = this.#keysOf(job);
    const app = this.#app;
    const registered = await this.#quote(job, async () => {
      const identity = { app, schedule, former };
      const first = await this.#scripts.register(keys, identity, 'look');
      const { at } = first;
      const times = { mark: instants.latest(at) ?? 0, due: instants.next(at), period: instants.period };
      // Of two instances that register at once, neither may have seen the other in its first reply; a repeated call finds itself.
      const again = await this.#scripts.register(keys, identity, times);
      const before = [first, again];
      const others = before.flatMap(({ app: was }) => (was === '' || was === app ? [] : [was]));
      const changed = before.flatMap(({ app: by, schedule: was }) =>
        by !== app || ['', schedule, former].includes(was) ? [] : [was],
      );
      const warn = (what: 'app' | 'schedule', was: string, is: string) =>
        notices.post({ kind: 'shared-job', lock: job, what, is, was });
      if (others[0] !== undefined) warn('app', others[0], app);
      else if (changed[0] !== undefined) warn('schedule', changed[0], schedule);
      return { mark: again.mark, changedAt: again.changedAt };
    });
    this.enlist(this.targetOf(job));
    return registered;
  }

  /** The newest records of a job, newest first. @throws LockConfigurationError `INVALID_OPTION` for an invalid `limit` */
  async records(job: string, options: RunsOptions = {}): Promise<TickRecord[]> {
    checkOptionNames(options, RUNS, undefined, job);
    const { limit = MOST_KEPT } = options;
    checkLimit(limit, MOST_KEPT, `of getRuns() for "${job}"`);
    const keys = this.#keysOf(job);
    // The current run is read beside the others.
    return readRecords(await this.#quote(job, () => this.#scripts.inspect(keys, limit))).slice(0, limit);
  }

  async status(job: string): Promise<JobStatus | undefined> {
    return readStatus(await this.#quote(job, () => this.#scripts.inspect(this.#keysOf(job))));
  }

  async list(options: ListOptions = {}): Promise<ListedJob[]> {
    checkOptionNames(options, LIST, 'of jobs.list()');
    const { limit = 1000 } = options;
    checkLimit(limit, MOST_LISTED, 'of jobs.list()');
    await this.#index.listFresh();
    const jobs: ListedJob[] = [];
    for (
      let page: JobEntry[] = [], isLast = false;
      !isLast && jobs.length < limit;
      isLast = page.length < PAGE
    ) {
      page = await this.#quote('jobs.list()', () => this.#list.page(page.at(-1)));
      for (let at = 0; at < page.length && jobs.length < limit; at += ABREAST) {
        const some = page.slice(at, at + ABREAST).map((entry) => this.#listed(entry));
        jobs.push(...(await Promise.all(some)).filter((job) => job !== undefined));
      }
    }
    return jobs.slice(0, limit);
  }

  /** Undefined for a job whose record was deleted, or that Redis refuses to read. */
  async #listed(entry: JobEntry): Promise<ListedJob | undefined> {
    const { job, key } = entry;
    try {
      const status = readStatus(await this.#scripts.inspect(jobKeys(key), RECORDS));
      if (status !== undefined) return { job, key, ...status };
    } catch (error) {
      const failure = RedisFailure.from(error);
      // A job of another node is not one that is refused: the list would have a part of the jobs.
      if (failure.isTransient || failure.isRedirection) throw unavailable(job, failure);
      return undefined;
    }
    await this.#index.remove(entry);
    return undefined;
  }

  async pause(job: string): Promise<boolean> {
    return await this.steer(job, 'pause');
  }

  async resume(job: string): Promise<boolean> {
    return await this.steer(job, 'resume');
  }

  async forget(job: string, options: ForgetOptions = {}): Promise<boolean> {
    checkOptionNames(options, FORGET, undefined, job);
    const { force = false } = options;
    const given: unknown = force;
    if (typeof given !== 'boolean')
      throw invalidOption(`force must be true or false for "${job}", not ${String(given)}.`, job);
    const outcome = await this.#quote(job, () => this.#scripts.forget(this.#keysOf(job), force));
    if (outcome === 'running') return false;
    await this.#index.remove({ job, key: this.#keysOf(job).lock });
    if (outcome === 'unknown') throw this.#unknown(job);
    return true;
  }

  async runNow(job: string, options: RunNowOptions = {}): Promise<boolean> {
    return await this.runNowBy(job, this.#instance, options);
  }

  /** As `runNow()`. @param by what the record of the run has as the one that requested it */
  async runNowBy(job: string, by: string, options: RunNowOptions): Promise<boolean> {
    checkOptionNames(options, RUN_NOW, undefined, job);
    const { timeout = '10s' } = options;
    const timeLimit = parseDuration(timeout, { option: 'timeout', lock: job, min: 1 });
    const keys = this.#keysOf(job);
    await this.#checkKnown(job);
    const parts = { context: this.#engine.context, scripts: this.#scripts, keys };
    return await this.#quote(job, () => requestRun(parts, timeLimit, by));
  }

  /** As `pause()` and `resume()`. @param by what the record has as the one that paused or resumed the job: this instance, or an operator */
  async steer(job: string, verb: 'pause' | 'resume', by = this.#instance): Promise<boolean> {
    const keys = this.#keysOf(job);
    await this.#checkKnown(job);
    return await this.#quote(job, () => this.#scripts.pause(keys, verb, this.#app, by));
  }

  /** A record created for a misspelt name would look like success, and stay. */
  async #checkKnown(job: string): Promise<void> {
    if ((await this.status(job)) !== undefined) return;
    const [own] = this.#own.get(job) ?? [];
    if (own === undefined) throw this.#unknown(job);
    await own.register();
  }

  #unknown(job: string): LockConfigurationError {
    return new LockConfigurationError('UNKNOWN_JOB', `Redis has no record of job "${job}".`, job);
  }

  async #quote<T>(job: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw unavailable(job, error);
    }
  }

  /** An operator may look at any name, and misspell it: it is not noted as that of a lock. */
  #keysOf(job: string) {
    const { names, context } = this.#engine;
    return jobKeys(names.keyToRead(job, context.kinds.reentrant.family));
  }

  get #app(): string {
    return this.#engine.context.settings.appName;
  }
}
