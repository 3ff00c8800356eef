import type { CronJobLike } from '../instants/cron.job.port.js';

/** A cron job of the scheduler, as it is on this instance now. */
export class LiveJob {
  #lastDate: unknown;
  #isByHand = false;
  #hasFired = false;
  /** Whether a fire of its timer is to come without a new time: cron has set the timer anew before it, and that was late, and fired at once. */
  #isExpected = false;
  /** Whether it has fired for the last time, as the job of a Date does, and was not stopped since. */
  #isSpent = false;
  #wasOn: boolean;

  /**
   * @param switched called when its timer was started or stopped
   * @param isNever called when cron could not start it: whether its expression has no instant. It is on then, without a timer
   * @param isFiring whether its timer fires at this moment: that of a Date has no timer any more
   */
  constructor(
    readonly job: CronJobLike,
    private readonly switched: () => void = () => undefined,
    private readonly isNever: () => boolean = () => false,
    isFiring = false,
  ) {
    this.#lastDate = job.lastDate();
    this.#isSpent = isFiring && !job.isActive;
    this.#wasOn = this.isOn;
    const { fireOnTick, start, stop } = job;
    job.fireOnTick = (...args) => {
      // Its timer notes the time of each fire; a call of the user's own does not.
      const last = job.lastDate();
      this.#isByHand = last === this.#lastDate && !this.#isExpected;
      this.#isExpected = false;
      this.#hasFired = true;
      this.#lastDate = last;
      if (!this.#isByHand && !job.isActive) this.#isSpent = true;
      return Reflect.apply(fireOnTick, job, args);
    };
    job.start = (...args) => this.#watched(() => this.#started(() => Reflect.apply(start, job, args)));
    job.stop = (...args) => {
      this.#isSpent = false;
      return this.#watched(() => Reflect.apply(stop, job, args));
    };
  }

  /** Whether the scheduler fires it here: not one that is disabled, stopped, deleted, or yet to begin. */
  get isOn(): boolean {
    return this.job.isActive || this.#isSpent;
  }

  /** Whether the fire that is under way was called by hand: `fireOnTick()`. */
  get isByHand(): boolean {
    return this.#isByHand;
  }

  #started(start: () => unknown): unknown {
    const isFiring = this.job.lastDate() !== this.#lastDate;
    this.#hasFired = false;
    try {
      return start();
    } catch (error) {
      if (this.isNever()) return undefined;
      throw error;
    } finally {
      this.#isExpected = isFiring && this.#hasFired;
    }
  }

  #watched<T>(call: () => T): T {
    try {
      return call();
    } finally {
      const { isOn } = this;
      if (isOn !== this.#wasOn) {
        this.#wasOn = isOn;
        this.switched();
      }
    }
  }
}
