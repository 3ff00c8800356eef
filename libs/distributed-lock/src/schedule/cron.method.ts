import type { TickCall } from '../contracts/tick.frame.js';
import { isJobOf, type CronJobLike } from './cron.job.port.js';
import { CronTick, type TickAges } from './cron.tick.js';
import type { TickAnswer } from '../locks/tick.claim.js';
import type { ClaimerFactory, JobClaimer } from './job.claimer.js';
import { JobStarter } from './job.starter.js';
import { LiveSchedule } from './live.schedule.js';
import type { NominalInstants } from './nominal.instants.js';
import type { CronSchedule } from './schedule.metadata.js';
import type { ScheduledMethod } from './scheduled.method.js';
import type { SequenceBook } from './sequence.book.js';

/** A guarded `@Cron` method, and its ticks from the moment on at which its cron job is made. */
export class CronMethod {
  #schedule: LiveSchedule | undefined;
  #tick: CronTick | undefined;
  #claimer: JobClaimer | undefined;
  #hasRunOnInit = false;

  constructor(
    private readonly method: ScheduledMethod,
    private readonly cron: CronSchedule,
    private readonly claimers: ClaimerFactory,
    private readonly ages: TickAges,
    private readonly sequences: SequenceBook,
  ) {}

  get job(): string {
    return this.method.job;
  }

  /** Its instants, by the store's clock; undefined until its cron job is made. */
  get instants(): NominalInstants | undefined {
    return this.#schedule?.byStore;
  }

  /**
   * Runs a tick whose time has not come, if nobody has: for tests.
   * @returns what was said of it; undefined when the store could not be asked. Rejects as the work does
   */
  async advance(tick: number): Promise<TickAnswer['kind'] | undefined> {
    const claimer = this.#claimer;
    if (claimer === undefined || !(await claimer.ready())) return undefined;
    const answer = await claimer.ask({ mode: 'instant', tick });
    if (answer?.kind === 'granted') await new JobStarter(this.method).run(answer);
    return answer?.kind;
  }

  is(instance: object, methodKey: string | symbol): boolean {
    return this.method.instance === instance && this.method.methodKey === methodKey;
  }

  /**
   * Begins with the job if it may be this method's: several methods with equal schedules share the guess, and the
   * first fire tells them apart.
   */
  meet(name: string, job: CronJobLike): boolean {
    if (!isJobOf(this.cron, name, job)) return false;
    if (this.#tick !== undefined) return true;
    const schedule = new LiveSchedule(job, this.sequences);
    const claimer = this.claimers(this.method, {
      fingerprint: () => schedule.byStore.fingerprint,
      latest: (at) => schedule.byStore.latestAt(at),
    });
    this.#schedule = schedule;
    const tick = new CronTick(claimer, schedule, this.ages);
    this.#tick = tick;
    this.#claimer = claimer;
    claimer.open(tick);
    return true;
  }

  /** The tick that `job` has fired. */
  firedBy(job: CronJobLike): TickCall | undefined {
    this.#schedule?.follow(job);
    return this.#tick;
  }

  /** The tick of a job that fires while it is made, but for the first fire of one that is to run then (`runOnInit`). */
  lateFire(): TickCall | undefined {
    const isOnInit = this.cron.runOnInit && !this.#hasRunOnInit;
    this.#hasRunOnInit = true;
    if (isOnInit) return undefined;
    return {
      run: async (work) => {
        // By then the job has been added to the scheduler.
        await Promise.resolve();
        return await this.#tick?.run(work);
      },
    };
  }

  /** A stopped job waits for nothing. */
  stoppedBy(job: CronJobLike): void {
    if (this.#schedule?.isOf(job) === true) this.#tick?.stop();
  }

  close(): void {
    this.#claimer?.close();
    this.#tick?.stop();
  }
}
