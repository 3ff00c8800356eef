import type { OwnJob, JobInstants } from '../job-control/own.job.js';
import type { Registered } from '../job-control/job.scripts.js';
import type { TickRunner } from '../ticks/tick.runner.js';
import type { Timer } from '../timing/timer.wheel.js';

/** Pause before a registration that failed is tried again, in ms; doubled each time up to the longest. */
const FIRST_RETRY_PAUSE = 1000;
const LONGEST_RETRY_PAUSE = 30_000;

/** The identity under which a job is registered. */
export interface JobIdentity extends JobInstants {
  readonly job: string;
  /** Distinguishes one schedule from another. */
  readonly fingerprint: () => string;
  /** Whether the scheduler runs the job on this instance now. */
  readonly isOn: () => boolean;
}

/** Registers a job in Redis, once: from the start of the application on, for as long as it takes. */
export class JobRegistration {
  #isRegistered = false;
  #isCancelled = false;
  #registered: Registered | undefined;
  /** Of the schedule with which it was registered last. */
  #fingerprint: string | undefined;
  #attempt: Promise<void> | undefined;
  #timer: Timer | undefined;
  #pause = FIRST_RETRY_PAUSE;
  readonly #own: OwnJob = {
    register: () => this.#again(),
    isOn: () => this.identity.isOn(),
  };

  constructor(
    private readonly runner: TickRunner,
    private readonly identity: JobIdentity,
    /** Called when the job is registered. */
    private readonly onRegistered: () => void,
  ) {}

  /** What Redis answered; undefined before. */
  get registered(): Registered | undefined {
    return this.#registered;
  }

  get isRegistered(): boolean {
    return this.#isRegistered;
  }

  /** Registers in the background until it is done, or cancelled. */
  begin(): void {
    this.runner.jobs.follow(this.identity.job, this.#own);
    this.#attemptSoon();
  }

  /** Registers again in the background if the schedule was changed since. */
  refresh(): void {
    if (!this.#isRegistered || this.identity.fingerprint() === this.#fingerprint) return;
    this.#isRegistered = false;
    this.#pause = FIRST_RETRY_PAUSE;
    this.#attemptSoon();
  }

  #attemptSoon(): void {
    this.runner.engine.context.wheel.cancel(this.#timer);
    this.#timer = undefined;
    this.ensureRegistered().catch(() => {
      if (this.#isCancelled) return;
      const { wheel } = this.runner.engine.context;
      this.#timer = wheel.after(this.#pause, () => this.#attemptSoon());
      this.#pause = Math.min(this.#pause * 2, LONGEST_RETRY_PAUSE);
    });
  }

  /**
   * Registers now, unless it is done or under way.
   * @throws LockUnavailableError when Redis could not be reached
   */
  async ensureRegistered(): Promise<void> {
    if (this.#isRegistered) return;
    this.#attempt ??= this.#register();
    await this.#attempt;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.runner.jobs.unfollow(this.identity.job, this.#own);
    this.runner.engine.context.wheel.cancel(this.#timer);
  }

  /** Registers again: the record may have been deleted since. */
  async #again(): Promise<void> {
    this.#isRegistered = false;
    await this.ensureRegistered();
  }

  async #register(): Promise<void> {
    try {
      const { job, fingerprint, ...instants } = this.identity;
      do {
        const [former, present] = [this.#fingerprint, fingerprint()];
        this.#registered = await this.runner.jobs.register(job, present, instants, former);
        this.#fingerprint = present;
        // It may have been changed meanwhile.
      } while (fingerprint() !== this.#fingerprint);
      this.#isRegistered = true;
      if (!this.#isCancelled) this.onRegistered();
    } finally {
      this.#attempt = undefined;
    }
  }
}
