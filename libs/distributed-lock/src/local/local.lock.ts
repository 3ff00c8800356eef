import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { forCaller } from '../errors/caller.stack.js';
import type { HeldBy } from '../errors/lock.errors.js';
import type { LossReason } from '../errors/loss.reasons.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { Lease, type Instant } from '../renewal/lease.js';
import { isRelease } from '../scripts/lock.messages.js';
import type { Busy } from '../replies/lock.replies.js';
import { now } from '../timing/monotonic.clock.js';
import type { Waiter } from '../acquire/waiter.js';
import { AcquireAttempt } from '../acquire/acquire.attempt.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { AcquireHost, AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { HoldHandle } from '../holds/handle.js';
import type { HoldOwner, TickRun } from '../holds/hold.contract.js';
import { Hold } from '../holds/hold.js';
import type { LocalLockHome } from './local.locks.js';
import { LockRelease } from './release.js';
import { unavailable } from '../core/lock.context.js';
import { otherSideOf, type LockTarget } from '../core/lock.target.js';
import { ProcessFairness } from '../acquire/yield.policy.js';
import { LocalWaiters } from './local.waiters.js';

/** One lock as this process sees it: the holds and the waiters of this process. Subclasses decide how waiters are served. */
export abstract class LocalLock extends LocalWaiters<HoldHandle> implements HoldOwner<Hold> {
  #fairness: ProcessFairness | undefined;

  constructor(
    protected readonly home: LocalLockHome<LocalLock>,
    readonly target: LockTarget,
  ) {
    super();
  }

  /** The holds of this process. */
  abstract get holds(): readonly Hold[];

  get leases(): readonly Lease[] {
    return this.holds.map(({ lease }) => lease);
  }

  protected releaseOf(lease: Lease): LockRelease {
    return new LockRelease(this.context, this.target, lease);
  }

  protected override get warnAfter(): number {
    return this.target.kind.isLasting ? Infinity : super.warnAfter;
  }

  /** Whether there are none; asked each time that anything ends. */
  protected abstract get isFree(): boolean;

  /** Takes over what Redis has granted. */
  abstract adopt(lease: Lease, maxHold?: number, run?: TickRun): Hold;
  abstract free(hold: Hold, finish: ReleaseScript | undefined, at: number): Promise<UnlockOutcome>;
  abstract lost(hold: Hold): void;

  /** Makes one request. @param refuse called when another holder has the lock */
  try<T>(leaseTime: number | undefined, refuse: (heldBy: HeldBy) => T): Promise<HoldHandle | T> {
    this.begin();
    const holder = this.blockingHold;
    if (holder !== undefined && isCertain(holder)) {
      const heldBy = this.lastAnswer.heldBy(holder);
      this.end();
      return Promise.resolve(heldBy).then(refuse);
    }
    const attempt = new AcquireAttempt(this.context, this.target);
    return new Promise((resolve) => {
      attempt.request({ leaseTime, waitTime: 0 }, (news) => {
        attempt.abandon();
        resolve(news.kind === 'granted' ? this.admit(news) : this.answer(news, refuse));
        this.end();
      });
    });
  }

  private answer<T>(news: Busy | RedisFailure, refuse: (heldBy: HeldBy) => T): Promise<T> {
    return forCaller(() => {
      if (news instanceof RedisFailure) throw unavailable(this.target.name, news);
      return refuse({ holder: news.holder || undefined, ttl: news.ttl });
    });
  }

  /**
   * Redis has freed the lock for this process, and not for its holders: they need not wait for their next renewal to learn of it.
   * @param leases those of when it was asked to; one that has come since may be a grant of after that, as only Redis knows
   */
  freedFor(reason: LossReason, leases: ReadonlySet<Lease>): void {
    this.lastAnswer.forced();
    for (const hold of this.holds)
      if (leases.has(hold.lease)) hold.lose(reason);
      else void this.context.watchdog.renewNow(hold.lease, 0, hold);
  }

  protected override get blockingHolds(): readonly Hold[] {
    const { kind } = this.target;
    if (kind.isLasting === true) return [];
    // A kind with one side: its holds exclude each other, or have the permits that are waited for.
    if (kind.side === undefined) return this.holds;
    const across = this.home.get(otherSideOf(this.target) ?? '')?.holds ?? [];
    // Readers are not in each other's way.
    return kind.side === 'read' ? across : [...this.holds, ...across];
  }

  protected override get blockingHold(): Hold | undefined {
    // A holder of a shared lock is not in the way of others of its process.
    return this.target.kind.form === 'shared' ? undefined : this.holds[0];
  }

  /**
   * A caller that comes back at once must not overtake, again and again, the processes that were notified of its release.
   * @param rivals how many they are
   * @param before the number of messages of the loop before the release
   * @param pause in ms
   */
  protected yieldToOthers(
    asker: AcquireLoop | undefined,
    rivals: number,
    before: number,
    pause: number,
  ): void {
    // A subscribed process receives its own release, too.
    const echoes = asker?.isListening === true ? 1 : 0;
    this.fairness.yieldTo({ until: now() + pause, pause, untilMessage: before + echoes + rivals });
    // The local lock is kept for that time, for callers that come back.
    void this.during(() => this.context.wheel.pause(pause));
  }

  protected get fairness(): ProcessFairness {
    return (this.#fairness ??= new ProcessFairness(this.context.settings));
  }

  /** Undefined for a lock that was never waited for, as far as this process knows. */
  protected get fairnessIfAny(): ProcessFairness | undefined {
    return this.#fairness;
  }

  protected override wasGranted(): void {
    super.wasGranted();
    this.#fairness?.granted();
  }

  protected startLoop(asker: AcquireLoop): void {
    const owed = this.#fairness?.currentYield;
    if (owed === undefined) asker.wake();
    else asker.wakeAfterYield(owed);
  }

  /** Takes a grant over for its caller. */
  protected admit(raw: AcquireResult): HoldHandle {
    const hold = this.adopt(this.leaseOf(raw));
    const grant = hold.admit(raw.leaseTime, raw.sent.at, raw.token, raw.at);
    // It may have been given before, and freed with the rest: then nothing but Redis knows.
    if (this.lastAnswerIfAny?.wasForcedAfter(raw.sent.at) === true)
      void this.context.watchdog.renewNow(hold.lease, 0, hold);
    return grant;
  }

  /**
   * Gives a waiter its handle. The waiter may have left meanwhile: admitting a hold can end an older one, whose signal may cancel
   * the wait.
   */
  protected give(waiter: Waiter<HoldHandle>, grant: HoldHandle): void {
    if (!waiter.grant(grant)) void grant.unlock().catch(() => undefined);
  }

  /** Gives back what came for a waiter that has left. */
  protected giveBack(holder: string, lease: number): void {
    void this.context.backgroundRelease.release({ target: this.target, holder, lease });
  }

  protected leaseOf({
    holder,
    leaseTime,
    sent,
  }: {
    holder: string;
    leaseTime: number | undefined;
    sent: Instant;
  }): Lease {
    const ttl = leaseTime ?? this.context.settings.watchdogTimeout;
    return new Lease(this.target, holder, ttl, sent);
  }

  protected acquireLoop(
    host: AcquireHost,
    attempt: AcquireAttempt,
    channel = this.target.channel,
  ): AcquireLoop {
    const { publishesRelease, longestSleep, wakes = isRelease } = this.target.kind;
    return new AcquireLoop(this.context, host, attempt, {
      channel: publishesRelease ? channel : undefined,
      longestSleep: longestSleep ?? this.context.settings.watchdogTimeout,
      wakes,
      isOwn: channel !== this.target.channel,
    });
  }

  /** A local lock without holds, waiters and work is forgotten. */
  protected forgetIfUnused(): void {
    if (this.isIdle && this.isFree) this.home.forget(this);
  }
}

/** Whether the hold is certain, so that Redis need not be asked. */
function isCertain(hold: Hold): boolean {
  return hold.isLive && hold.isBelieved && hold.lease.state !== 'unknown';
}
