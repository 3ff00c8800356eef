import { directCall, type ScheduledTick } from '../metadata/schedule.fires.js';
import type { TickAnswer } from '../ticks/tick.claim.js';
import type { CronJobLike } from '../instants/cron.job.port.js';
import { CronTick, type TickAges } from '../jobs/cron.tick.js';
import { IntervalTick } from '../jobs/interval.tick.js';
import type { JobTicks } from '../jobs/job.claimer.port.js';
import type { ClaimerFactory, JobClaimer } from '../jobs/job.claimer.js';
import type { JobStarter } from '../jobs/job.starter.js';
import { LiveJob } from '../nest-schedule/live.job.js';
import { LiveSchedule } from '../instants/live.schedule.js';
import type { Splay } from '../jobs/splay.js';
import type { FireTracker } from '../nest-schedule/fire.tracker.js';
import type { ScheduleInstants } from '../instants/schedule.instants.js';
import type { CronSchedule } from '../nest-schedule/schedule.metadata.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import type { SequenceRegistry } from '../instants/sequence.registry.js';
import { machine } from '../timing/machine.js';

/** The parts of a cron method. */
export interface CronPlan {
  readonly method: ScheduledMethod;
  readonly cron: CronSchedule;
  readonly fires: FireTracker;
  readonly starter: JobStarter;
  readonly claimers: ClaimerFactory;
  readonly ages: TickAges;
  /** Undefined: each tick starts at its instant. */
  readonly splay: Splay | undefined;
  readonly sequences: SequenceRegistry;
  /** Where the schedule is a Date: the least time between two runs in the fleet, in ms. */
  readonly gap: number | undefined;
  /** Called for a fire of a Date, when it is unknown which fires of other instances are the same. */
  readonly refuseDate: () => void;
  /** Called when its job was started with an expression that has no instant. */
  readonly warnOfNever: (schedule: string) => void;
}

/** A job of the scheduler, and the ticks that its schedule makes. */
interface Followed {
  readonly live: LiveJob;
  readonly schedule: LiveSchedule;
  readonly tick: CronTick;
}

/** A guarded `@Cron` method, and its ticks from the moment on at which its cron job is made. */
export class CronMethod implements JobTicks {
  readonly #jobs = new Map<CronJobLike, Followed>();
  #first: Followed | undefined;
  #claimer: JobClaimer | undefined;
  #hasRunOnInit = false;
  #isClosed = false;

  constructor(private readonly plan: CronPlan) {}

  get method(): ScheduledMethod {
    return this.plan.method;
  }

  get job(): string {
    return this.plan.method.job;
  }

  /** Whether the scheduler runs it on this instance now: every path to a run of it on this instance checks this. */
  get isOn(): boolean {
    return !this.#isClosed && [...this.#jobs.values()].some(({ live }) => live.isOn);
  }

  /** Its instants, by the store's clock; undefined until its cron job is made. */
  get instants(): ScheduleInstants | undefined {
    return this.#first?.schedule.byStore;
  }

  /**
   * Runs a tick whose time has not come, if no instance has run it: for tests.
   * @returns the verdict; `off` where the job is off on this instance; undefined when the store could not be reached. Rejects as the work
   * does
   */
  async advance(tick: number): Promise<TickAnswer['kind'] | 'off' | undefined> {
    const claimer = await this.#readyClaimer();
    if (claimer === undefined) return undefined;
    if (!this.isOn) return 'off';
    const answer = await claimer.ask({ way: 'advance', mode: 'instant', tick, isFleets: true });
    if (answer?.kind === 'granted') await this.plan.starter.run(answer);
    return answer?.kind;
  }

  /**
   * Runs what comes before any new tick, such as a crashed run that is to be retried: for tests.
   * @returns the tick that was run; undefined when there is none. Rejects as the work does
   */
  async advanceWaiting(): Promise<number | undefined> {
    const claimer = await this.#readyClaimer();
    const answer = await claimer?.ask({ way: 'advance', mode: 'again', tick: 0 });
    if (answer?.kind !== 'granted') return undefined;
    await this.plan.starter.run(answer);
    return answer.tick;
  }

  /** Follows a job of the scheduler that calls this method. @param isFiring whether its timer fires at this moment */
  follow(job: CronJobLike, isFiring = false): void {
    if (this.#isClosed || this.#jobs.has(job)) return;
    const schedule = new LiveSchedule(job, this.plan.sequences);
    const claimer = (this.#claimer ??= this.#claimerOf(schedule));
    const followed = {
      schedule,
      live: new LiveJob(
        job,
        () => this.#switched(),
        () => this.#isNever(schedule),
        isFiring && schedule.isDate,
      ),
      tick: new CronTick(claimer, schedule, this.plan.ages, this.plan.splay),
    };
    // Jobs that were deleted, and replaced by others again and again, must not fill the memory.
    for (const [known, { live }] of this.#jobs)
      if (!live.job.isActive && this.#jobs.size > 8) this.#jobs.delete(known);
    this.#jobs.set(job, followed);
    if (this.#first === undefined) claimer.open(this);
    if (this.#first === undefined || !this.#first.live.isOn) this.#first = followed;
    if (followed.live.isOn) followed.tick.resume();
    claimer.switched();
  }

  /** A fire of its job. @param job undefined while the job is made */
  fire(job: CronJobLike | undefined, callback: () => unknown): unknown {
    const followed = job === undefined ? undefined : this.#jobs.get(job);
    if (followed === undefined) return this.#earlyFire(callback);
    if (followed.live.isByHand) return directCall(callback);
    return this.plan.fires.run(this.tickOf(followed.live.job), callback, job?.waitForCompletion === true);
  }

  /** The tick that a fire of that job is. */
  tickOf(job: CronJobLike): ScheduledTick {
    this.follow(job, true);
    const claimer = this.#claimer;
    const tick = this.#jobs.get(job)?.tick;
    if (claimer === undefined || tick === undefined) return { run: () => Promise.resolve() };
    if (typeof job.cronTime.source === 'string') return tick;
    const { gap, refuseDate } = this.plan;
    if (gap !== undefined) return new IntervalTick(claimer, gap);
    return { run: () => Promise.resolve(refuseDate()) };
  }

  async catchUp(): Promise<void> {
    for (const { live, schedule, tick } of this.#jobs.values()) {
      if (live.isOn && !schedule.isDate) await tick.catchUp();
    }
  }

  async settle(): Promise<void> {
    for (const { live, tick } of this.#jobs.values()) if (live.isOn) await tick.settle();
  }

  close(): void {
    this.#isClosed = true;
    this.#claimer?.close();
    this.plan.fires.lapseAll();
    for (const { tick } of this.#jobs.values()) tick.stop();
  }

  /** Undefined until its cron job is made, and when the store cannot be reached. */
  async #readyClaimer(): Promise<JobClaimer | undefined> {
    const claimer = this.#claimer;
    return (await claimer?.ready()) === true ? claimer : undefined;
  }

  /** Whether the schedule has no instant, which is reported then. */
  #isNever(schedule: LiveSchedule): boolean {
    const instants = schedule.byWall;
    if (schedule.isDate || instants.nextAfter(machine.global.Date.now()) !== undefined) return false;
    this.plan.warnOfNever(instants.fingerprint);
    return true;
  }

  #switched(): void {
    for (const { live, tick } of this.#jobs.values()) {
      if (live.isOn) tick.resume();
      else tick.stop();
    }
    const active = [...this.#jobs.values()].find(({ live }) => live.job.isActive);
    if (active !== undefined && this.#first?.live.job.isActive !== true) this.#first = active;
    this.#claimer?.switched();
  }

  /**
   * A fire before the job is known: in its constructor. A job that is to run then (`runOnInit`) does so first, which is a direct call; one
   * whose instant passes just then, on a busy machine, makes a tick like any other.
   */
  #earlyFire(callback: () => unknown): unknown {
    const isOnInit = this.plan.cron.runOnInit && !this.#hasRunOnInit;
    this.#hasRunOnInit = true;
    if (isOnInit) return directCall(callback);
    const late: ScheduledTick = {
      run: async (work) => {
        // By then the job has been added to the scheduler.
        await Promise.resolve();
        const job = this.#first?.live.job;
        return job === undefined ? undefined : await this.tickOf(job).run(work);
      },
    };
    return this.plan.fires.run(late, callback);
  }

  #claimerOf(schedule: LiveSchedule): JobClaimer {
    const { method, claimers, gap, splay } = this.plan;
    // Another job of the scheduler may take the place of its first one, with another schedule.
    const live = () => this.#first?.schedule ?? schedule;
    const startAfter = (at: number) => {
      const instants = live().byStore;
      const next = instants.nextAfter(at);
      return next === undefined || splay === undefined
        ? next
        : next + splay.delayOf(next, instants.nextAfter(next));
    };
    const identity = {
      fingerprint: () => (live().isDate ? 'a date' : live().byStore.fingerprint),
      // What never fires has none, and may get another expression later: ticks before now are not run then.
      latest: (at: number) => (live().isDate ? undefined : (live().byStore.latestAt(at) ?? ('now' as const))),
      next: (at: number) => (live().isDate ? undefined : startAfter(at)),
      period: undefined,
    };
    // Its schedule may become a date, or an expression, later.
    const gapNow = () => (this.#first?.schedule.isDate === true ? gap : undefined);
    return claimers(method, identity, () => this.isOn, gapNow);
  }
}
