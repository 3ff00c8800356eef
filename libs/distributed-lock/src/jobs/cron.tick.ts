import type { ScheduledTick } from '../metadata/schedule.fires.js';
import { isVerdict, type TickAnswer } from '../ticks/tick.claim.js';
import { now } from '../timing/monotonic.clock.js';
import { CatchUpTimer, logged } from './catch-up.timer.js';
import { GapCounter } from './gap.counter.js';
import type { GrantedTick, JobClaims, JobTicks, TickWay } from './job.claimer.port.js';
import type { LiveSchedule } from '../instants/live.schedule.js';
import type { ScheduleInstants } from '../instants/schedule.instants.js';
import type { Splay } from './splay.js';
import { TickYield } from './tick.yield.js';
import { AlarmWait, otherAlarmsHaveFired, RECHECK, TickWait } from './tick.wait.js';
import { machine } from '../timing/machine.js';

/** A timer may fire this much before its instant, in ms. */
const EARLY = 50;
/**
 * How late an alarm may come for its own instant, in ms: cron fires up to an hour late after a gap in local time, and for
 * no reason after a repeat, when the latest instant is yesterday's and must not be revived.
 */
const OWN = 3_600_000;
/** Claims of one alarm: each after the first knows the clock from the answer to the one before. */
const ATTEMPTS = 6;
/** Bounds of how long a claim is repeated while Redis does not answer, in ms. */
const LEAST_CLAIM_TIMEOUT = 1000;
const CLAIM_TIMEOUT = 5000;

/** The work of a run. */
type TickWork = Parameters<ScheduledTick['run']>[0];

/** The age that a tick may have, in ms. */
export interface TickAges {
  /** Of a tick that another alarm was set for. */
  readonly grace: number;
  /** Of a tick that was missed while the fleet or Redis was away; 0: no tick is caught up with. */
  readonly catchUp: number;
}

/** The claim of a tick. */
interface Question {
  readonly way: TickWay;
  readonly instants: ScheduleInstants;
  readonly tick: number;
  /** The store's time. */
  readonly at: number;
  /** Whether the alarm was set for this tick. */
  readonly isOfAlarm: boolean;
}

/** The ticks of one `@Cron` method: decides at an alarm which tick it is, by the store's clock, and claims it. */
export class CronTick implements ScheduledTick, JobTicks {
  readonly #wait: TickWait;
  readonly #alarmWait: AlarmWait;
  /** For the start of a tick that has come, and that starts later. */
  readonly #delay: TickWait;
  #delayed: number | undefined;
  readonly #yield: TickYield;
  /** The newest tick that has its verdict, for all instances. */
  #settled = -Infinity;
  #asking: number | undefined;
  #tickToSettle: number | undefined;
  #answered = -Infinity;
  #isStopped = false;
  readonly #gap = new GapCounter();
  readonly #nextCatchUp: CatchUpTimer;

  constructor(
    private readonly claims: JobClaims,
    private readonly schedule: LiveSchedule,
    private readonly ages: TickAges,
    private readonly splay?: Splay,
  ) {
    this.#wait = new TickWait(claims.wheel, claims.clock, (target) => this.#claimLate(target));
    this.#alarmWait = new AlarmWait(claims);
    this.#yield = new TickYield(claims);
    this.#delay = new TickWait(claims.wheel, claims.clock, (target) => this.#begin(target));
    this.#nextCatchUp = new CatchUpTimer(claims, () => this.catchUp(), ages.catchUp);
  }

  /** An alarm of this instance. */
  async run(work: TickWork): Promise<unknown> {
    this.#isStopped = false;
    // Of the schedule for which the alarm was set: another alarm of this moment may change it.
    const [own, instants] = [this.#latestBy(EARLY), this.schedule.byStore];
    if (this.#wait.target === own) this.#wait.cancel();
    await otherAlarmsHaveFired();
    if (this.#isStopped || this.claims.isClosed) return undefined;
    if (!(await this.#alarmWait.until(own))) return undefined;
    const granted = await this.#decideNow('alarm', own, instants);
    const running = granted?.run(work);
    this.#foresee();
    try {
      return await running;
    } finally {
      if (granted !== undefined) this.#watch(this.#storeNow, 'end');
    }
  }

  /** The job was stopped: no instant is awaited until the job fires again, or is started. */
  stop(): void {
    this.#isStopped = true;
    this.#wait.cancel();
    this.#alarmWait.cancel();
    this.#delay.cancel();
    this.#nextCatchUp.stop();
  }

  resume(): void {
    this.#isStopped = false;
    // The alarm of an instant that lies ahead may have come, and have ended with the stop.
    if (this.claims.clock.now() !== undefined) this.#watch(this.#storeNow);
    this.#nextCatchUp.resume();
    const delayed = this.#delayed;
    // Stopped and started again within its delay, as by a change of the schedule to the same one.
    if (delayed !== undefined && delayed > this.#settled) this.#isDelayed(delayed);
  }

  /** Runs the latest tick if no instance ran it, and it is not too old to be caught up with. */
  async catchUp(): Promise<void> {
    const at = this.#storeNow;
    this.#watch(at);
    const tick = this.schedule.byStore.latestAt(at);
    if (tick === undefined || tick < this.claims.scheduledSince || this.#isStopped) return;
    const start = tick + this.#delayOf(tick);
    if (at >= start && at - start >= this.ages.catchUp) return;
    await this.#makeUp('catch-up', undefined);
  }

  /** Claims once more the tick that got no verdict because an older one, which has to be run again, could not be run. */
  async settle(): Promise<void> {
    const tick = this.#tickToSettle;
    this.#tickToSettle = undefined;
    if (tick !== undefined && tick > this.#settled && !this.#isStopped) await this.#makeUp('settle', tick);
  }

  async #makeUp(way: TickWay, alarm: number | undefined): Promise<void> {
    const { granted } = await this.#decide(way, alarm);
    if (granted !== undefined) this.claims.start(granted);
  }

  /**
   * Decides on the tick of this moment, and awaits the next one where no alarm stands for it.
   * @param alarm the instant that the alarm was set for
   */
  async #decideNow(
    way: TickWay,
    alarm: number | undefined,
    instants?: ScheduleInstants,
  ): Promise<GrantedTick | undefined> {
    const isReady = await this.claims.ready(alarm);
    const decision = isReady ? await this.#decide(way, alarm, instants) : undefined;
    this.claims.checkClocks(this.#settled);
    // An instant that has come since the decision was made is not skipped.
    this.#watch(decision?.at ?? this.#storeNow, 'decision');
    return decision?.granted;
  }

  /** The next alarm needs the instant after its own: it is computed now, and not in the moment in which the job is to start. */
  #foresee(): void {
    const instants = this.schedule.byStore;
    const next = instants.nextAfter(this.#storeNow);
    if (next !== undefined) instants.nextAfter(next);
  }

  /** @returns the tick if it was granted, and the store's time of the decision */
  async #decide(
    way: TickWay,
    alarm: number | undefined,
    instants = this.schedule.byStore,
  ): Promise<{ readonly granted?: GrantedTick; readonly at: number }> {
    let at = this.#storeNow;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      at = this.#storeNow;
      const tick = instants.latestAt(at);
      // A verdict is final; but the tick is claimed again now and then, since the answer carries the store's time.
      const isKnown = tick === undefined || (tick <= this.#settled && now() - this.#answered < RECHECK);
      if (isKnown || tick === this.#asking || this.#isDelayed(tick)) return { at };
      const answer = await this.#ask({ way, instants, tick, at, isOfAlarm: tick === alarm });
      if (answer === undefined) return { at };
      if (answer.kind === 'granted') {
        if (answer.tick === tick) return { at, granted: answer };
        // A tick that has to be run again comes first. The claimed tick still needs a verdict: not "granted", while the older one runs.
        this.claims.start(answer);
      }
      if (answer.kind === 'taken' && answer.mark < tick) {
        this.#tickToSettle = tick;
        return { at };
      }
      if (answer.kind === 'early') await this.claims.wheel.pause(2 ** attempt);
    }
    return { at };
  }

  async #ask({ way, instants, tick, at, isOfAlarm }: Question): Promise<TickAnswer | undefined> {
    const following = instants.nextAfter(tick);
    const previous = this.schedule.takeChange() ? undefined : this.#dueBefore(tick, instants);
    this.#asking = tick;
    if (way === 'alarm' || way === 'wait') await this.#yield.pass(tick);
    const age = Math.max(isOfAlarm ? OWN : this.ages.grace, this.ages.catchUp) + this.#delayOf(tick);
    const answer = await this.claims.ask({
      way,
      mode: at - tick < age ? 'cron' : 'close',
      tick,
      following,
      due: following === undefined ? undefined : following + this.#delayOf(following),
      previous,
      gap: this.#gap.count(this.#lastKnown, previous, instants),
      // Once the next tick has come, its own alarm claims it. Catching up is tried again later.
      timeout:
        way === 'catch-up'
          ? 0
          : Math.max(Math.min((following ?? Infinity) - at, CLAIM_TIMEOUT), LEAST_CLAIM_TIMEOUT),
    });
    if (this.#asking === tick) this.#asking = undefined;
    if (answer === undefined && this.ages.catchUp > 0 && !this.#isStopped) this.#nextCatchUp.set();
    if (answer === undefined || answer.kind === 'refused') return undefined;
    this.#answered = now();
    this.#nextCatchUp.answered();
    if (answer.kind === 'granted') this.#yield.ran();
    if (isVerdict(answer, tick)) this.#settled = Math.max(this.#settled, tick);
    return answer;
  }

  /**
   * While the instance's alarms stand for other instants than the store's clock does, or come so late that they nearly do, the next tick is
   * awaited by the store's clock, unless an alarm waits for it. So it is at the end of a run, if the alarm of that tick comes before it: with
   * waitForCompletion the scheduler leaves out an alarm that comes during its call.
   */
  #watch(at: number, moment?: 'decision' | 'end'): void {
    if (this.#isStopped || this.claims.isClosed || this.schedule.isDate) return;
    const instants = this.schedule.byStore;
    const [tick, next] = [instants.latestAt(at), instants.nextAfter(at)];
    const { aheadOfWall } = this.claims.clock;
    const own = this.#latestBy(moment === 'decision' ? EARLY : 0);
    if (next === undefined || next === this.#alarmWait.target) this.#wait.cancel();
    else if (tick !== own || aheadOfWall > (next - (tick ?? at)) / 2) this.#wait.arm(next);
    else if (moment === 'end' && aheadOfWall < -EARLY) this.#wait.arm(next);
    else this.#wait.cancel();
  }

  /** The newest tick of this schedule that has a verdict as far as this instance knows; 0 for none. */
  get #lastKnown(): number {
    const { mark = 0, scheduledSince } = this.claims;
    return Math.max(this.#settled >= scheduledSince ? this.#settled : 0, mark);
  }

  /** The instant before a tick; undefined where the job had another schedule then. */
  #dueBefore(tick: number, instants: ScheduleInstants): number | undefined {
    const previous = instants.latestAt(tick - 1);
    return previous !== undefined && previous >= this.claims.scheduledSince ? previous : undefined;
  }

  /** The delay of the start of a tick, in ms. */
  #delayOf(tick: number): number {
    return this.splay === undefined ? 0 : this.splay.delayOf(tick, this.schedule.byStore.nextAfter(tick));
  }

  /** Whether the start of a tick lies ahead; then it is awaited, if it is the current one by the store's clock. */
  #isDelayed(tick: number): boolean {
    const delay = this.#delayOf(tick);
    const [start, at] = [tick + delay, this.#storeNow];
    if (delay === 0 || at >= start) return false;
    if (this.#isStopped || this.claims.isClosed || this.schedule.byStore.latestAt(at) !== tick) return true;
    this.#delayed = tick;
    this.#delay.arm(start);
    return true;
  }

  /** The start of a delayed tick has come, or clocks are to be compared. */
  #begin(start: number): void {
    const tick = this.#delayed;
    if (tick === undefined || this.#isStopped || this.claims.isClosed) return;
    if (this.#storeNow < start) this.#delay.arm(start);
    else this.#claimLate(tick);
  }

  /** Claims a tick that no alarm stands for at this moment. */
  #claimLate(target: number): void {
    if (!this.claims.isClosed) logged(this.#runLate(target));
  }

  /** The call that an alarm made has ended, and with it what other decorators do around the method: the run is a call of its own. */
  async #runLate(target: number): Promise<void> {
    const granted = await this.#decideNow('wait', target);
    if (granted !== undefined) this.claims.start(granted, false);
    this.#foresee();
  }

  /** The latest instant by this machine's clock in `ahead` ms: with EARLY the one that an alarm which fires now was set for. */
  #latestBy(ahead: number): number | undefined {
    return this.schedule.byWall.latestAt(machine.global.Date.now() + ahead);
  }

  get #storeNow(): number {
    return this.claims.clock.nowOrWall;
  }
}
