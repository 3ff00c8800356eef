import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Lease } from '../renewal/lease.js';
import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { HoldNotice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import type { TargetCount, CountedHold } from './hold.count.js';
import { HandleList } from './handle.list.js';
import { HoldHandle, type HandleOwner } from './handle.js';
import type { HoldOwner, TickRun } from './hold.contract.js';
import { HoldExtras, type PairedHold } from './hold.extras.js';
import { HoldTimers, UNBOUNDED, type TimedHold } from './hold.timers.js';
import { emitLeaseEvent } from './lease.events.js';
import type { LeaseOwner } from './lease.control.js';
import { unavailable, type LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** One holder's acquisitions of one lock. Every operation goes through it, one after the other. A hold that ended sends nothing. */
export class Hold extends HandleList implements HandleOwner, LeaseOwner, CountedHold, TimedHold, PairedHold {
  #extras: HoldExtras | undefined;
  #ended = false;

  constructor(
    private readonly owner: HoldOwner<Hold>,
    readonly lease: Lease,
    maxHold: number = owner.context.settings.maxHold,
    run?: TickRun,
  ) {
    super();
    const { context, target } = owner;
    const bounds = target.kind.isLasting ? UNBOUNDED : { warnAfter: context.settings.warnAfter, maxHold };
    const timers = HoldTimers.of(context.wheel, bounds, this);
    if (timers !== undefined) this.extras.timers = timers;
    if (run !== undefined) this.extras.run = run;
  }

  get run(): TickRun | undefined {
    return this.#extras?.run;
  }

  get context(): LockContext {
    return this.owner.context;
  }

  get target(): LockTarget {
    return this.owner.target;
  }

  get id(): string {
    return this.target.id;
  }

  /** Whether a scope may re-enter it. In doubt it may: the script decides. */
  get isLive(): boolean {
    this.checkDeadlines();
    return !this.#ended;
  }

  /** Whether its holder id may go on to another hold: Redis surely counts nothing but the acquisition that is released. */
  get isSingle(): boolean {
    return this.#extras?.knownCount?.isSingle ?? true;
  }

  /** Not after a suspend, until Redis has confirmed it. */
  get isBelieved(): boolean {
    return !this.lease.isDoubtful || this.extras.leaseControl.isBelieved;
  }

  /** Whether Redis need not be asked for it. */
  get isCertain(): boolean {
    return this.isLive && this.isBelieved && this.lease.state !== 'unknown';
  }

  get token(): bigint | undefined {
    return this.#extras?.token ?? this.run?.token;
  }

  /** Adds an acquisition that Redis has counted. */
  admit(leaseTime: number | undefined, sentAt: number, token?: bigint, at = now()): HoldHandle {
    const grant = new HoldHandle(this, leaseTime, sentAt);
    this.add(grant);
    if (token !== undefined) this.extras.token = token;
    if (this.#extras?.run !== undefined) this.#extras.first ??= grant;
    this.rearm(at);
    return grant;
  }

  /** @returns undefined when the hold has ended meanwhile: the caller then acquires the lock as any other caller */
  reenter(leaseTime: number | undefined, isWanted: () => boolean): Promise<HoldHandle | undefined> {
    return this.extras.count.enqueue(async () => {
      if (!this.isLive || !isWanted()) return undefined;
      const ttl = leaseTime ?? this.context.settings.watchdogTimeout;
      const { reply, sent } = await this.extras.count.raise(this.size + 1, ttl);
      if (reply.kind !== 'granted') this.gone();
      if (this.#ended || reply.kind !== 'granted') return undefined;
      this.lease.raise(sent, ttl);
      return this.admit(leaseTime, sent.at, reply.token);
    });
  }

  release(grant: HoldHandle, at: number): Promise<UnlockOutcome> {
    // Nothing that a release could come before has ever been under way.
    return (
      this.#extras?.knownCount?.enqueue(() => this.releaseNow(grant, now())) ?? this.releaseNow(grant, at)
    );
  }

  extend(grant: HoldHandle, ttl: number): Promise<boolean> {
    return this.extras.count.enqueue(async () => {
      if (!grant.isHeld) return false;
      const sentAt = await this.extras.leaseControl.extend(ttl);
      if (sentAt === undefined)
        throw unavailable(this.target.name, new RedisFailure('ambiguous', 'the lease could not be extended'));
      if (sentAt !== false) grant.extendTo(ttl, sentAt);
      this.rearm();
      return sentAt !== false && !this.extras.count.takeBackIfOver();
    });
  }

  checkLease(): void {
    this.context.watchdog.check(this.lease);
  }

  /** Ends what is past its deadline. Synchronous, so that the first instruction after a stall finds the truth. */
  checkDeadlines(at = now()): void {
    if (this.#ended || at < this.nextDeadline) return;
    if (at < this.lease.deadline && this.endExpired(at, this.target.name)) return;
    const isUnrenewed = this.lease.state === 'unknown' && this.renewalTtl > 0;
    this.lose(isUnrenewed ? LOSSES.unrenewed : this.renewalTtl > 0 ? LOSSES.stalled : LOSSES.leaseOver);
  }

  /** Ends the belief in the whole hold. */
  lose(reason: LossReason): void {
    if (this.#ended) return;
    const grants = this.all();
    this.lease.lose();
    this.end();
    this.context.watchdog.unwatch(this.lease, this);
    // A scope that asked for the other side of its lock in vain has lost nothing.
    if (grants.length > 0) this.post({ kind: 'lost', why: reason.why });
    const loss = LockLostError.of(this.target.name, reason);
    for (const grant of grants) grant.lose(loss);
    this.owner.lost(this);
  }

  gone(): void {
    // Before its deadline a lease ends only by a forced unlock or a loss of data.
    this.lose(now() < this.lease.deadline ? LOSSES.takenAway : LOSSES.gone);
  }

  unknown(why: string): void {
    this.post({ kind: 'unknown', why });
    emitLeaseEvent('unknown', this, why);
  }

  renewed(): void {
    if (this.context.notices.events.hasListeners) emitLeaseEvent('renewed', this);
  }

  /** Its last command without a reply, while its effect is unknown. */
  get doubt(): RedisFailure | undefined {
    return this.#extras?.knownCount?.doubt;
  }

  get targetCount(): TargetCount | undefined {
    return this.#ended ? undefined : this.requiredCount;
  }

  rearm(at = now()): void {
    this.checkDeadlines(at);
    if (!this.#ended) this.context.watchdog.watch(this.lease, this, at);
  }

  shorten<T>(ttl: number, ask: (nextLease?: number) => Promise<T>): Promise<T> {
    const shorten = (nextLease?: number) => this.extras.leaseControl.shorten(ttl, () => ask(nextLease));
    return this.writer?.endPaired(shorten) ?? shorten();
  }

  /** Of a read hold under the id of a write hold: that one. */
  get writer(): PairedHold | undefined {
    return this.#extras?.writer;
  }

  set writer(writer: PairedHold | undefined) {
    this.extras.writer = writer;
  }

  endPaired<T>(
    ask: (lease: number | undefined) => Promise<T>,
    doneOf?: (answer: T) => Promise<unknown>,
  ): Promise<T> {
    return this.extras.count.enqueue(() => {
      const { targetCount } = this;
      // What a lost command may have given it is not known: then nothing is made shorter.
      if (targetCount === undefined || targetCount.count === 0 || this.doubt !== undefined)
        return ask(undefined);
      return this.extras.leaseControl.shorten(targetCount.lease, () => ask(targetCount.lease), doneOf);
    });
  }

  private get extras(): HoldExtras {
    return (this.#extras ??= new HoldExtras(this));
  }

  private releaseNow(grant: HoldHandle, at: number): Promise<UnlockOutcome> {
    this.remove(grant);
    if (this.#ended) return Promise.resolve('lost');
    const finish = this.#extras?.first === grant ? this.run?.finish : undefined;
    if (!this.isEmpty) return this.extras.count.lowerTo(this.requiredCount, finish);
    this.end();
    try {
      return this.owner.free(this, finish, at);
    } finally {
      // The next holder of this lease has its own watch by now.
      this.context.watchdog.unwatch(this.lease, this);
    }
  }

  post(notice: HoldNotice): void {
    this.context.notices.post({ ...notice, lock: this.target.name, holder: this.lease.holder });
  }

  private end(): void {
    this.#ended = true;
    this.clear();
    this.#extras?.timers?.cancel();
  }
}
