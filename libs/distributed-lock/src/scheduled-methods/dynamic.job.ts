import type { GuardEntry } from '../metadata/guard.registry.js';
import { markFire, type Fire, type ScheduledTick } from '../metadata/schedule.fires.js';
import type { NoticeBoard } from '../events/notice.board.js';
import type { CronJobLike } from '../instants/cron.job.port.js';
import type { CronMethod } from './cron.method.js';
import { LiveJob } from '../nest-schedule/live.job.js';
import type { TimerMethod } from './timer.method.js';

/** The parts that match the fires of jobs which the application makes itself. */
export interface DynamicJobPlan {
  readonly methods: () => readonly (CronMethod | TimerMethod)[];
  readonly notices: NoticeBoard;
  readonly isOurs: (guard: GuardEntry) => boolean;
}

/**
 * The fires of a cron job that the application has added to the `SchedulerRegistry` itself. What such a job calls of the guarded
 * scheduled methods is a tick, for `@Cron` at the instants of that job: it fires on every instance. A fire by hand makes direct calls.
 */
export class DynamicJob {
  readonly #live: LiveJob;
  readonly #warned = new Set<GuardEntry>();

  constructor(
    private readonly name: string,
    private readonly job: CronJobLike,
    private readonly plan: DynamicJobPlan,
  ) {
    this.#live = new LiveJob(job);
  }

  /** From now on its fires are marked. */
  watch(): void {
    const { job } = this;
    const fire = job.fireOnTick;
    job.fireOnTick = (...args) => {
      const isFirst = { value: true };
      return markFire(this.#fire(isFirst), () => Reflect.apply(fire, job, args));
    };
  }

  #fire(first: { value: boolean }): Fire {
    return {
      tickOf: (guard, instance) => {
        const isFirst = first.value;
        first.value = false;
        return this.#live.isByHand ? undefined : this.#tickOf(guard, instance, isFirst);
      },
      taken: () => undefined,
    };
  }

  #tickOf(guard: GuardEntry, instance: object, isFirst: boolean): ScheduledTick | undefined {
    const methods = this.plan.methods().filter(({ method }) => method.guard === guard);
    const method = methods.find((one) => one.method.instance === instance) ?? methods[0];
    if (method !== undefined) return method.tickOf(this.job);
    if (isFirst && this.plan.isOurs(guard)) this.#warn(guard);
    return undefined;
  }

  #warn(guard: GuardEntry): void {
    if (this.#warned.has(guard)) return;
    this.#warned.add(guard);
    const lock = typeof guard.key === 'string' ? guard.key : guard.where;
    this.plan.notices.post({ kind: 'fire-unguarded', lock, where: guard.where, job: this.name });
  }
}
