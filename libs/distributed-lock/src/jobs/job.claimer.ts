import { Logger } from '@nestjs/common';
import type { TickPolicies } from '../contracts/tick.contract.js';
import { LockUnavailableError } from '../errors/lock.errors.js';
import type { TickAnswer, TickClaim } from '../ticks/tick.claim.js';
import type { TickRunner } from '../ticks/tick.runner.js';
import type { RunListener } from '../ticks/run.listener.js';
import { jobKeys } from '../job-control/job.keys.js';
import type { StoreClock } from '../job-control/store.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { GrantedTick, JobClaims, JobTicks, TickWay } from './job.claimer.port.js';
import { JobRegistration, type JobIdentity } from './job.registration.js';
import type { JobStarter } from './job.starter.js';
import { JobWatch } from './job.watch.js';
import type { ScheduledMethod } from '../nest-schedule/scheduled.method.js';
import type { TickJournal } from './tick.journal.js';

/** Makes the claimer of a method's job. @param gap the least time between two starts now, in ms, where its ticks are counted from the last start */
export type ClaimerFactory = (
  method: ScheduledMethod,
  identity: Omit<JobIdentity, 'job' | 'isOn'>,
  isOn: () => boolean,
  gap?: () => number | undefined,
) => JobClaimer;

/** The parts of a claimer. */
export interface ClaimerPlan {
  readonly runner: TickRunner;
  readonly journal: TickJournal;
  readonly identity: JobIdentity;
  readonly policies: TickPolicies;
  readonly gap: () => number | undefined;
  /** Whether other instances have reported themselves lately. */
  readonly hasOthers: () => boolean;
  readonly starter: JobStarter;
  /** Is notified of the runs of the job that begin on this instance. */
  readonly runs: RunListener | undefined;
}

/** Claims the ticks of one job. Never throws when a tick is not to be run: the reason is logged. */
export class JobClaimer implements JobClaims {
  readonly #registration: JobRegistration;
  readonly #watch: JobWatch;
  #isClosed = false;
  #mark: number | undefined;
  /** Whether the job was off when missed ticks were to be caught up with. */
  #isBehind = false;
  #ticks: JobTicks | undefined;

  constructor(private readonly plan: ClaimerPlan) {
    const { runner, identity } = plan;
    const { context } = runner.engine;
    this.#registration = new JobRegistration(runner, identity, () => this.#returned());
    const target = runner.jobs.targetOf(identity.job);
    const channels = { lock: target.channel, job: jobKeys(target.key).channel };
    this.#watch = new JobWatch(
      context,
      channels,
      () => this.#unattended(this.#claimWaiting()),
      () => this.#returned(),
    );
  }

  get clock(): StoreClock {
    return this.plan.runner.clock;
  }

  get wheel(): TimerWheel {
    return this.plan.runner.engine.context.wheel;
  }

  get hasOthers(): boolean {
    return this.plan.hasOthers();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get mark(): number | undefined {
    const newest = this.#mark ?? this.#registration.registered?.mark;
    // A tick of another schedule says nothing about the ticks of this one.
    return newest !== undefined && newest >= this.scheduledSince ? newest : undefined;
  }

  get scheduledSince(): number {
    return this.#registration.registered?.changedAt ?? -Infinity;
  }

  /**
   * Registers the job in the background, and then checks for runs that wait in Redis.
   * @param ticks of a schedule; an interval has none that could be missed
   */
  open(ticks?: JobTicks): void {
    this.#ticks = ticks;
    this.#watch.open();
    this.#registration.begin();
  }

  /** Ends the claims. */
  close(): void {
    this.#isClosed = true;
    this.#registration.cancel();
    this.#watch.close();
  }

  /** The job was turned on or off here. */
  switched(): void {
    const isOn = this.plan.identity.isOn();
    this.#watch.rest(!isOn);
    if (!isOn) return;
    this.#registration.refresh();
    if (this.#isBehind) this.#returned();
    else if (this.#registration.isRegistered) this.#unattended(this.#claimWaiting());
  }

  async ready(tick?: number): Promise<boolean> {
    const registered = () => this.#registration.ensureRegistered().then(() => true);
    return (await this.#quietly(tick, registered)) ?? false;
  }

  async ask(claim: TickClaim & { readonly way: TickWay }): Promise<TickAnswer | undefined> {
    const { runner, journal, identity } = this.plan;
    const { isOn } = identity;
    if (!isOn()) {
      this.#watch.rest(true);
      return undefined;
    }
    this.#watch.rest(false);
    const policies = { ...this.plan.policies, gap: this.plan.gap() };
    const tick = claim.mode === 'again' ? undefined : claim.tick;
    const ask = () =>
      runner.claim(identity.job, {
        policies,
        mayBegin: isOn,
        runs: this.plan.runs,
        unanswered: () => this.#watch.unanswered(),
        // A test that brings its ticks about decides when a run is repeated.
        lost: claim.way === 'advance' ? undefined : () => this.#lost(),
        ...claim,
      });
    const answer = await this.#quietly(tick, ask, claim.way === 'catch-up');
    if (answer?.kind === 'granted') journal.granted(identity.job, answer.tick);
    if (answer?.kind === 'granted' || answer?.kind === 'refused') return answer;
    this.#mark = answer?.mark ?? this.#mark;
    this.#watch.answered(answer);
    if (answer !== undefined && claim.mode !== 'again')
      journal.refused(identity.job, claim.tick, answer.kind);
    return answer;
  }

  start(granted: GrantedTick, checksWaiting = true): void {
    const { starter, runner } = this.plan;
    runner.engine.context.outside(() => {
      const ended = starter.start(granted);
      this.#unattended(checksWaiting ? ended.then(() => this.#watch.claimSoon()) : ended);
    });
  }

  checkClocks(settled = -Infinity): void {
    this.plan.journal.checkClocks(this.plan.identity.job, settled);
  }

  /** The alarms of other instances watch a run that may have to be repeated. Here its own next one may be far, and no other instance there. */
  #lost(): void {
    if (this.plan.policies.onCrash === 'retry') this.#watch.claimSoon();
  }

  /** Claims any run that waits in Redis. */
  async #claimWaiting(): Promise<void> {
    if (!(await this.ready())) return;
    const answer = await this.ask({ way: 'look', mode: 'again', tick: 0 });
    if (answer?.kind === 'granted') this.start(answer);
    else if (answer === undefined || answer.kind === 'refused' || answer.wait !== 0) return;
    await this.#ticks?.settle();
  }

  /** The store can be reached, for the first time or again. */
  #returned(): void {
    this.#isBehind = !this.plan.identity.isOn();
    if (this.#isBehind) return;
    const catchUp = async () => {
      if (await this.ready()) await this.#ticks?.catchUp();
      await this.#claimWaiting();
    };
    this.#unattended(catchUp());
  }

  async #quietly<T>(
    tick: number | undefined,
    call: () => Promise<T>,
    isLater = false,
  ): Promise<T | undefined> {
    if (this.#isClosed) return undefined;
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LockUnavailableError)) throw error;
      if (!this.#isClosed) this.plan.journal.unclaimed(this.plan.identity.job, error, tick, isLater);
      return undefined;
    }
  }

  /** Work that the claimer starts by itself has no caller: its error is logged as the scheduler logs one, and ends no process. */
  #unattended(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#isClosed) new Logger('Scheduler').error(error);
    });
  }
}
