import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import type { Lease } from '../renewal/lease.js';
import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { LockKindName } from '../events/lock.event.types.js';
import type { HoldNotice } from '../events/notice.board.js';
import { epochOf, now, wallTime } from '../timing/monotonic.clock.js';
import { HoldCount, type TargetCount, type CountedHold } from './hold.count.js';
import * as handles from './handle.chain.js';
import { HoldHandle, type HandleOwner } from './handle.js';
import type {
  HoldExtras,
  HoldOwner,
  HoldTerms,
  OwnRelease,
  PairedHold,
  PairedRequest,
} from './hold.contract.js';
import { HoldTimers, type TimedHold } from './hold.timers.js';
import { LeaseControl, type LeaseOwner } from './lease.control.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';

/** One holder's acquisitions of one lock. Every operation goes through it, one after the other. A hold that ended sends nothing. */
export class Hold implements HandleOwner, LeaseOwner, CountedHold, TimedHold, PairedHold {
  #extras: HoldExtras | undefined;
  #ended = false;
  #newest: handles.HandleChain;
  /** When the first one was counted, on the wall clock of this process. */
  #begun: number | undefined;

  constructor(
    private readonly owner: HoldOwner<Hold>,
    readonly lease: Lease,
    terms?: HoldTerms,
  ) {
    const { registry, target } = owner;
    if (terms !== undefined) this.extras.terms = terms;
    if (target.kind.isLasting === true) return;
    const { warnAfter, maxHold } = registry.context.settings;
    const limits = { warnAfter, maxHold: terms?.maxHold ?? maxHold };
    if (limits.warnAfter !== Infinity || limits.maxHold !== Infinity)
      this.extras.timers = new HoldTimers(registry.context.wheel, limits, this);
  }

  get context(): LockContext {
    return this.owner.registry.context;
  }

  get target(): LockTarget {
    return this.owner.target;
  }

  get id(): string {
    return this.target.id;
  }

  /** For events and reports. */
  get kind(): LockKindName {
    return this.ownRelease?.kind ?? this.target.kind.id;
  }

  get ownRelease(): OwnRelease | undefined {
    return this.#extras?.terms?.ownRelease;
  }

  /** Whether a scope may re-enter it. In doubt it may: the script decides. */
  get isLive(): boolean {
    this.checkDeadlines();
    return !this.#ended;
  }

  /** Whether its holder id may go on to another hold: Redis surely counts nothing but the acquisition that is released. */
  get hasOneAcquisition(): boolean {
    return this.#extras?.count?.hasOneAcquisition ?? true;
  }

  /** Not after a suspend, until Redis has confirmed it. */
  get isBelieved(): boolean {
    return !this.lease.isDoubtful || this.leaseControl.isBelieved;
  }

  /** Whether this process knows without a request to Redis that it is held. */
  get isSurelyHeld(): boolean {
    return this.isLive && this.isBelieved && this.lease.state !== 'unknown';
  }

  get token(): bigint | undefined {
    return this.#extras?.token;
  }

  /** Epoch ms of its begin, for messages. */
  get since(): number {
    return epochOf(this.#begun ?? wallTime());
  }

  /** How long it has lasted, in ms. */
  get held(): number {
    return this.#begun === undefined ? 0 : wallTime() - this.#begun;
  }

  /** Whether a caller has its handle, and has opened no scope with it: inside a scope the lock would be re-entered. */
  get isOutsideScope(): boolean {
    return handles.isAnyOutsideScope(this.#newest);
  }

  /**
   * The watchdog only checks fixed leases (0): one that is gone before its time must not be believed in, and one that others have set
   * below its time is raised by the check (wire format D17).
   */
  get renewalTtl(): number {
    return handles.isAnyRenewed(this.#newest) ? this.context.settings.watchdogTimeout : 0;
  }

  /** The watchdog's lease, or the shortest fixed one. */
  get leaseTime(): number {
    return handles.leaseTimeOf(this.#newest, this.context.settings.watchdogTimeout);
  }

  /** Of the hold's lease, or of a fixed one that ends before. */
  get nextDeadline(): number {
    return Math.min(this.lease.deadline, handles.firstDeadline(this.#newest));
  }

  /** Adds an acquisition that Redis has counted. */
  admit(leaseTime: number | undefined, sentAt: number, token?: bigint, at = now()): HoldHandle {
    const { ownRelease } = this;
    const handle = ownRelease?.handleOf(this, leaseTime, sentAt) ?? new HoldHandle(this, leaseTime, sentAt);
    handle.previous = this.#newest;
    this.#newest = handle;
    this.#begun ??= wallTime();
    if (token !== undefined) this.extras.token = token;
    if (ownRelease !== undefined) this.extras.first ??= handle;
    this.rearm(at);
    return handle;
  }

  /** @returns undefined when the hold has ended meanwhile: the caller then acquires the lock as any other caller */
  reenter(leaseTime: number | undefined, isWanted: () => boolean): Promise<HoldHandle | undefined> {
    return this.count.enqueue(async () => {
      if (!this.isLive || !isWanted()) return undefined;
      const ttl = leaseTime ?? this.context.settings.watchdogTimeout;
      const { reply, sent } = await this.count.raiseTo(handles.handlesOf(this.#newest).length + 1, ttl);
      if (reply.kind !== 'granted') this.gone();
      if (this.#ended || reply.kind !== 'granted') return undefined;
      this.lease.raise(sent, ttl);
      return this.admit(leaseTime, sent.at, reply.token);
    });
  }

  release(handle: HoldHandle, at: number): Promise<UnlockOutcome> {
    // Nothing that a release could come before has ever been under way.
    return this.#extras?.count?.enqueue(() => this.releaseNow(handle, now())) ?? this.releaseNow(handle, at);
  }

  extend(handle: HoldHandle, ttl: number): Promise<boolean> {
    return this.count.enqueue(async () => {
      if (!handle.isOpen) return false;
      const sent = await this.leaseControl.extend(ttl);
      if (typeof sent === 'number') handle.extendTo(ttl, sent);
      this.rearm();
      const isLost = !handles.handlesOf(this.#newest).includes(handle);
      return sent !== false && (await this.count.extended(sent, isLost));
    });
  }

  checkLease(): void {
    this.context.watchdog.check(this.lease);
  }

  /** Ends what is past its deadline. Synchronous, so that the first instruction after a stall finds the truth. */
  checkDeadlines(at = now()): void {
    if (this.#ended || at < this.nextDeadline) return;
    const expired = handles.expiredIn(this.#newest, at);
    if (at < this.lease.deadline && expired !== 'all') return this.endExpired(expired);
    const { unrenewed, stalled, leaseOver } = LOSSES;
    if (this.renewalTtl === 0) this.lose(leaseOver);
    else this.lose(this.lease.state === 'unknown' ? unrenewed : stalled);
  }

  /** Aborts the work without ending the hold: it may still unlock in good order. */
  abort(loss: LockLostError): void {
    for (const handle of handles.handlesOf(this.#newest)) handle.abort(loss);
  }

  /** Ends the belief in the whole hold. */
  lose(reason: LossReason): void {
    if (this.#ended) return;
    const lost = handles.handlesOf(this.#newest);
    this.lease.lose();
    this.end();
    this.context.watchdog.unwatch(this.lease, this);
    // A scope that requested the other side of its lock in vain has lost nothing.
    if (lost.length > 0) this.post({ kind: 'lost', why: reason.why });
    this.#extras?.count?.lost(reason);
    const loss = LockLostError.of(this.target.name, reason);
    for (const handle of lost) handle.lose(loss);
    this.owner.lost(this, reason);
  }

  gone(): void {
    // Before its deadline a lease ends only by a forced unlock or a loss of data.
    this.lose(now() < this.lease.deadline ? LOSSES.takenAway : LOSSES.gone);
  }

  unknown(why: string): void {
    this.post({ kind: 'unknown', why });
    this.context.notices.events.emit('unknown', { ...this.subject, why });
  }

  renewed(): void {
    const { events } = this.context.notices;
    if (events.hasListeners) events.emit('renewed', this.subject);
  }

  /** Undefined where Redis never counted more than one acquisition. */
  get existingCount(): Pick<HoldCount, 'ambiguousFailure' | 'repairing'> | undefined {
    return this.#extras?.count;
  }

  get targetCount(): TargetCount | undefined {
    return this.#ended ? undefined : this.requiredCount;
  }

  rearm(at = now()): void {
    this.checkDeadlines(at);
    if (!this.#ended) this.context.watchdog.watch(this.lease, this, at);
  }

  shorten<T>(ttl: number, request: (pairedLease?: number) => Promise<T>): Promise<T> {
    const shorten = (pairedLease?: number) => this.leaseControl.shorten(ttl, () => request(pairedLease));
    return this.writer?.endPaired(shorten) ?? shorten();
  }

  /** Of a read hold under the id of a write hold: that one. */
  get writer(): PairedHold | undefined {
    return this.#extras?.terms?.writer;
  }

  endPaired<T>(request: PairedRequest<T>, doneOf?: (answer: T) => Promise<unknown>): Promise<T> {
    return this.count.endPaired(request, (lease) =>
      this.leaseControl.shorten(lease, () => request(lease), doneOf),
    );
  }

  post(notice: HoldNotice): void {
    this.context.notices.post({ ...notice, lock: this.target.name, holder: this.lease.holder });
  }

  private get subject() {
    return { lock: this.target.name, kind: this.kind, holder: this.lease.holder };
  }

  get extras(): HoldExtras {
    return (this.#extras ??= {});
  }

  private get count(): HoldCount {
    return (this.extras.count ??= new HoldCount(this.context, this.target, this.lease, this));
  }

  private get leaseControl(): LeaseControl {
    return (this.extras.leaseControl ??= new LeaseControl(this.lease, this.context.watchdog, this));
  }

  private get requiredCount(): TargetCount {
    return handles.targetCountOf(this.#newest, this.context.settings.watchdogTimeout);
  }

  private releaseNow(handle: HoldHandle, at: number): Promise<UnlockOutcome> {
    this.#newest = handles.without(handle, this.#newest);
    if (this.#ended) return Promise.resolve('lost');
    const releaseScript = this.#extras?.first === handle ? this.ownRelease?.script : undefined;
    if (this.#newest !== undefined) return this.count.lowerTo(this.requiredCount, releaseScript);
    this.end();
    try {
      return this.owner.free(this, releaseScript, at);
    } finally {
      // The next holder of this lease has its own watch by now.
      this.context.watchdog.unwatch(this.lease, this);
    }
  }

  /** Ends acquisitions inside a hold that goes on; Redis' count follows with the hold's next operation. */
  private endExpired(expired: readonly HoldHandle[]): void {
    for (const handle of expired) {
      this.#newest = handles.without(handle, this.#newest);
      handle.lose(LockLostError.of(this.target.name, LOSSES.innerLeaseOver));
    }
    this.#extras?.count?.expired();
  }

  private end(): void {
    this.#ended = true;
    this.#newest = undefined;
    this.#extras?.timers?.cancel();
  }
}
