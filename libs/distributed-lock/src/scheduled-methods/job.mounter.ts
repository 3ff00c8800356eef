import { unbound } from './schedule.checks.js';
import type { CronJobLike } from '../instants/cron.job.port.js';
import { CronMethod } from './cron.method.js';
import { DynamicJob, type DynamicJobPlan } from './dynamic.job.js';
import type { ExplorerLike, MountEntry } from '../nest-schedule/scheduler.finder.js';
import { entriesOf, noteOriginal, type MountedMethod } from '../nest-schedule/scheduler.roster.js';
import type { TimerMethod } from './timer.method.js';

/** A method that a scheduler will fire, and its ticks. */
export interface BoundMethod {
  readonly mounted: MountedMethod;
  readonly method: CronMethod | TimerMethod;
}

/** Takes part where a scheduler makes its timers: each of a guarded method calls that method's ticks. */
export class JobMounter {
  /** By the names of cron jobs. */
  readonly #crons = new Map<string, CronMethod>();
  /** Names of cron jobs that the scheduler makes now without starting them. */
  readonly #unstarted = new Set<string>();
  readonly #lists: ExplorerLike['schedulerOrchestrator'];

  constructor(
    private readonly explorer: ExplorerLike,
    /** All that it will fire, in its order. */
    private readonly roster: readonly MountedMethod[],
    private readonly methods: readonly BoundMethod[],
    private readonly dynamic: DynamicJobPlan,
  ) {
    this.#lists = explorer.schedulerOrchestrator;
  }

  /** From now on its timers, and the jobs that the application adds, are followed. */
  watch(): void {
    const { schedulerRegistry: registry } = this.#lists;
    for (const [name, job] of registry.getCronJobs()) this.#added(name, job);
    const add = registry.addCronJob;
    registry.addCronJob = (name, job) => {
      Reflect.apply(add, registry, [name, job]);
      this.#added(name, job);
    };
    const start = this.#lists.onApplicationBootstrap;
    this.#lists.onApplicationBootstrap = () => {
      const opened = this.#take();
      const result: unknown = Reflect.apply(start, this.#lists, []);
      for (const open of opened) open();
      return result;
    };
  }

  /** Replaces the callbacks by ours. @returns the steps to take when the timers are set */
  #take(): (() => void)[] {
    const entries = entriesOf(this.explorer, this.roster);
    return this.methods.flatMap(({ mounted, method }) => {
      const found = entries.get(mounted);
      if (found === undefined) throw unbound(method.method.where);
      const { name, entry } = found;
      const { target } = entry;
      if (method instanceof CronMethod) {
        this.#crons.set(name, method);
        const restore = this.#takeOverStart(name, entry, method);
        entry.target = (...args) => method.fire(jobOf(entry), () => target(...args));
        return [restore];
      }
      entry.target = (...args) => method.fire(() => target(...args));
      return [() => method.follow({ name, entry, registry: this.#lists.schedulerRegistry })];
    });
  }

  /** A cron job was added: the scheduler's own, or one that the application has made. */
  #added(name: string, job: CronJobLike): void {
    const entry = this.#lists.cronJobs[name];
    const method = this.#crons.get(name);
    if (entry?.ref !== job) new DynamicJob(name, job, this.dynamic).watch();
    // A job that replaces a method's job, under its name, belongs to that method from now on.
    method?.follow(job);
    if (this.#unstarted.delete(name)) job.start();
  }

  /**
   * Has the cron job made without a start, and started as soon as it is followed: where an expression has no instant, cron throws at the start,
   * and the application would not start either.
   * @returns gives the entry its options back, once its job is made
   */
  #takeOverStart(name: string, entry: MountEntry, method: CronMethod): () => void {
    const { options } = entry;
    const { disabled, initialDelay }: { readonly disabled?: unknown; readonly initialDelay?: unknown } = {
      ...options,
    };
    // The scheduler itself starts a job with an initial delay later, or never.
    if (disabled || initialDelay) return () => undefined;
    this.#unstarted.add(name);
    entry.options = noteOriginal({ ...options, disabled: true }, options);
    return () => {
      Object.assign(entry, { options });
      // Another wrapper of addCronJob() has not called ours.
      if (!this.#unstarted.delete(name)) return;
      const job = jobOf(entry);
      if (job === undefined) return;
      method.follow(job);
      job.start();
    };
  }
}

function jobOf({ ref }: MountEntry): CronJobLike | undefined {
  return isCronJob(ref) ? ref : undefined;
}

function isCronJob(ref: unknown): ref is CronJobLike {
  return typeof ref === 'object' && ref !== null && 'cronTime' in ref;
}
