import type { CronJobLike } from './cron.job.port.js';
import { ScheduleInstants } from './schedule.instants.js';
import type { CronTimeLike } from './cron.sequence.js';
import { SequenceRegistry } from './sequence.registry.js';

/** The schedule that a method's cron job has now: `setTime` replaces it. */
export class LiveSchedule {
  #cronTime: CronTimeLike;
  #byStore: ScheduleInstants;
  #byWall: ScheduleInstants;
  #isChanged = false;

  constructor(
    private readonly job: CronJobLike,
    private readonly sequences = new SequenceRegistry(),
  ) {
    this.#cronTime = job.cronTime;
    this.#byStore = this.#instants();
    this.#byWall = this.#instants();
  }

  /** Whether it is a Date, which each instance computes for itself, and not an expression. */
  get isDate(): boolean {
    return typeof this.job.cronTime.source !== 'string';
  }

  /** The instants, for times by the store's clock. */
  get byStore(): ScheduleInstants {
    this.#refresh();
    return this.#byStore;
  }

  /** The same instants, for times by this machine's clock: where the two are far apart, each follows its own. */
  get byWall(): ScheduleInstants {
    this.#refresh();
    return this.#byWall;
  }

  /** Whether the schedule was changed since the last call: the instants before a change are not those that it has now. */
  takeChange(): boolean {
    this.#refresh();
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }

  #refresh(): void {
    const { cronTime } = this.job;
    if (cronTime === this.#cronTime) return;
    this.#cronTime = cronTime;
    this.#byStore = this.#instants();
    this.#byWall = this.#instants();
    this.#isChanged = true;
  }

  #instants(): ScheduleInstants {
    return new ScheduleInstants(this.#cronTime, this.sequences.of(this.#cronTime));
  }
}
