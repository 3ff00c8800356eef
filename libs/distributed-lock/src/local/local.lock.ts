import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { LossReason } from '../errors/loss.reasons.js';
import type { RedisFailure } from '../redis/redis.failure.js';
import { Lease } from '../renewal/lease.js';
import type { Busy } from '../replies/lock.replies.js';
import { isToWatch } from '../replies/queue.replies.js';
import { now } from '../timing/monotonic.clock.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import { AcquireAttempt } from '../acquire/acquire.attempt.js';
import type { ReservedChannel } from '../acquire/channel.wake.source.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { AttemptOutcome, LoopOwner, AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { HoldHandle } from '../holds/handle.js';
import type { HoldOwner, HoldTerms } from '../holds/hold.contract.js';
import { Hold } from '../holds/hold.js';
import { placeAt, type LocalLockOwner } from './local.lock.registry.js';
import { otherSideOf, type LockTarget } from '../core/lock.target.js';
import { ProcessFairness } from './process.fairness.js';
import type { QueuePlace } from '../process-queue/queue.place.js';
import { LocalWaiters, type LocalWaitersOwner } from '../waiters/local.waiters.js';
import type { ReleaseResult } from './lock.release.js';
import { tryOnce } from './single.attempt.js';
import { wakeSourceOf } from './wake.source.js';

/** One lock as this process sees it: the holds and the waiters of this process. Subclasses decide how waiters are served. */
export abstract class LocalLock implements HoldOwner<Hold>, LocalWaitersOwner<HoldHandle> {
  /** Undefined while no caller acquires or waits, and no work is under way: most locks are only held. */
  #waiters: LocalWaiters<HoldHandle> | undefined;
  /** Undefined for a lock that was never waited for, as far as this process knows. */
  protected existingFairness: ProcessFairness | undefined = undefined;
  /** Acquires the lock for the waiters; undefined until a caller has to wait. */
  protected loop: AcquireLoop | undefined = undefined;
  /** The place of this process in the queue of the lock; undefined for one that it did not wait for, or whose kind has no queue. */
  protected place: QueuePlace | undefined;

  constructor(
    readonly registry: LocalLockOwner<LocalLock>,
    readonly target: LockTarget,
  ) {
    this.place = registry.places?.byLock.get(target.id);
  }

  /** The holds of this process. */
  abstract get holds(): readonly Hold[];
  /** Whether there are none; read each time that a hold or a waiter ends. */
  protected abstract get isFree(): boolean;

  /** Creates the hold of a grant. */
  abstract addHold(lease: Lease, terms?: HoldTerms): Hold;
  abstract free(hold: Hold, releaseScript: ReleaseScript | undefined, at: number): Promise<UnlockOutcome>;
  abstract lost(hold: Hold, reason: LossReason): void;
  abstract onEnter(waiter: Waiter<HoldHandle>): void;
  /** The first answer to a caller named a holder that is in its way. */
  wasBusy?(holder: string): void;

  /** The waiters of this process, and its work on the lock. */
  get waiters(): LocalWaiters<HoldHandle> {
    return (this.#waiters ??= new LocalWaiters(this));
  }

  /** Undefined if this process does nothing with the lock but hold it. */
  get existingWaiters(): LocalWaiters<HoldHandle> | undefined {
    return this.#waiters;
  }

  get hasWaiters(): boolean {
    return this.first !== undefined;
  }

  /** The waiter that has waited longest. */
  protected get first(): Waiter<HoldHandle> | undefined {
    return this.#waiters?.first;
  }

  get isLasting(): boolean {
    return this.target.kind.isLasting === true;
  }

  get isExclusive(): boolean {
    return true;
  }

  get blockingHolds(): readonly Hold[] {
    const { kind } = this.target;
    if (kind.isLasting === true) return [];
    // A kind with one side: its holds exclude each other, or have the permits that are waited for.
    if (kind.side === undefined) return this.holds;
    const otherSide = this.registry.get(otherSideOf(this.target) ?? '')?.holds ?? [];
    // Readers are not in each other's way.
    return kind.side === 'read' ? otherSide : [...this.holds, ...otherSide];
  }

  get blockingHold(): Hold | undefined {
    // A holder of a shared lock is not in the way of others of its process.
    return this.target.kind.form === 'shared' ? undefined : this.holds[0];
  }

  /**
   * Acquires the lock: sends a request first, and waits only if the lock is busy and the request has time.
   * @returns rejects with a {@link LockNotAcquiredError} or {@link LockUnavailableError}, or with the reason of the signal
   */
  acquire(request: WaitRequest): Promise<HoldHandle> {
    const { signal, waitTime } = request;
    if (signal?.aborted === true) {
      this.forgetIfFree();
      return Promise.reject(signal.reason);
    }
    return waitTime > 0 ? this.enter(request) : tryOnce(this, request);
  }

  /** Acquires the lock for a caller that waits if the lock is busy. */
  protected abstract enter(request: WaitRequest): Promise<HoldHandle>;

  /** Makes the first request for a caller before which no other one waits. @param owner goes on if the lock is busy */
  protected requestFirst(request: WaitRequest, owner: LoopOwner): Promise<HoldHandle> {
    const { waiters } = this;
    const waiter = waiters.create(request, this.acquire);
    const attempt = new AcquireAttempt(this.registry.context, this.target, this.place);
    waiters.firstRequester = waiter;
    waiters.begin();
    const conclude = (outcome: AttemptOutcome) => {
      waiters.firstRequester = undefined;
      if (waiters.first !== undefined || (outcome.kind !== 'granted' && !waiter.isDone)) {
        if (!waiter.isDone) waiters.push(waiter, true);
        this.loop = this.acquireLoop(owner, attempt);
        this.loop.resume(outcome);
      } else if (outcome.kind === 'granted') {
        this.wasGranted();
        this.admitWaiter(waiter, outcome);
      } else {
        attempt.undo();
        this.place?.stop();
      }
      waiters.end();
    };
    attempt.request(request, conclude, waiter.since);
    return waiter.outcome;
  }

  /** @internal Admits a waiter with the grant that was requested for it; releases the grant if the waiter has left. */
  admitWaiter(waiter: Waiter<HoldHandle>, result: AcquireResult): void {
    if (waiter.isDone) this.giveBack(result.holder, this.leaseOf(result).longestTtl);
    else this.resolveWaiter(waiter, this.admit(result));
  }

  /**
   * A forced unlock of this process has freed the lock. Its own holders did not ask for it, and learn of it now, not by their next renewal.
   * @param leases the leases at the moment of the request to free the lock; a later lease may have been granted after it, so Redis is asked
   */
  forceFreed(reason: LossReason, leases: ReadonlySet<Lease>): void {
    this.#waiters?.lastAnswer.forced();
    for (const hold of this.holds)
      if (leases.has(hold.lease)) hold.lose(reason);
      else void this.registry.context.watchdog.renewNow(hold.lease, 0, hold);
  }

  begin(): void {
    this.waiters.begin();
  }

  end(): void {
    this.waiters.end();
  }

  notGranted(outcome: Busy | RedisFailure): void {
    if (outcome.kind === 'busy') this.existingFairness?.otherAcquired();
    this.waiters.notGranted(outcome);
  }

  onLeave(_waiter: Waiter<HoldHandle>): void {
    this.stopIfUnneeded();
  }

  protected stopIfUnneeded(): void {
    if (!this.hasWaiters) this.loop?.stopListening();
  }

  /** What was kept for waiters is forgotten, and so is a local lock without holds. */
  onIdle(): void {
    this.#waiters = undefined;
    this.loop = undefined;
    this.forgetIfFree();
  }

  protected forgetIfFree(): void {
    if (this.#waiters?.isIdle === false || !this.isFree) return;
    this.registry.forget(this);
    this.place?.rest();
  }

  /**
   * A caller that comes back at once must not overtake, again and again, the processes that were notified of its release.
   * @param messagesBefore the number of messages of the loop before the release
   * @param isTurn whether the release has notified one of the queue that it is its turn
   */
  protected yieldToOthers(others: number, messagesBefore: number, pause: number, isTurn = false): void {
    // A subscribed process receives its own release, too.
    const own = this.loop?.isListening === true ? 1 : 0;
    const untilMessage = messagesBefore + own + others;
    this.fairness.yieldTo({ until: now() + pause, pause, untilMessage, isTurn });
    // The local lock is kept for that time, for callers that come back.
    void this.waiters.during(() => this.registry.context.wheel.pause(pause));
  }

  protected get fairness(): ProcessFairness {
    return (this.existingFairness ??= new ProcessFairness(this.registry.context.settings));
  }

  /** Whether callers of this process wait, or have to let other processes go first. */
  protected get hasQueue(): boolean {
    return (
      this.loop !== undefined ||
      this.first !== undefined ||
      this.#waiters?.firstRequester !== undefined ||
      this.existingFairness?.currentYield !== undefined
    );
  }

  protected wasGranted(): void {
    this.#waiters?.wasGranted();
    this.existingFairness?.granted();
  }

  /** This process let go of the lock, or lost it. */
  protected wasFreed(at?: number): void {
    this.#waiters?.lastAnswer.freed(at);
  }

  /** Starts the loop, or ends its sleep. Does nothing while the first request is under way: {@link requestFirst} starts the loop with its answer. */
  protected wakeLoop(owner: LoopOwner): void {
    if (this.#waiters?.firstRequester !== undefined) return;
    this.loop ??= this.acquireLoop(owner, new AcquireAttempt(this.registry.context, this.target));
    const currentYield = this.existingFairness?.currentYield;
    if (currentYield === undefined) this.loop.wake();
    else this.loop.wakeAfterYield(currentYield);
  }

  /** Makes a grant the hold, and the handle, of its caller. */
  protected admit(result: AcquireResult): HoldHandle {
    const hold = this.addHold(this.leaseOf(result));
    const handle = hold.admit(result.leaseTime, result.sent.at, result.token, result.at);
    // A forced unlock may have freed this grant while its reply was under way: only Redis knows.
    if (this.#waiters?.existingAnswer?.wasForcedAfter(result.sent.at) === true)
      void this.registry.context.watchdog.renewNow(hold.lease, 0, hold);
    return handle;
  }

  /** Resolves a waiter with its handle. The waiter may have left: admitting this hold can end an older one, whose signal may be the signal of this waiter. */
  protected resolveWaiter(waiter: Waiter<HoldHandle>, handle: HoldHandle): void {
    if (!waiter.resolve(handle)) void handle.unlock().catch(() => undefined);
  }

  /** Gives back what came for a waiter that has left. */
  protected giveBack(holder: string, lease: number): void {
    void this.registry.context.backgroundRelease.release({ target: this.target, holder, lease });
  }

  protected leaseOf({
    holder,
    leaseTime,
    sent,
  }: Pick<AcquireResult, 'holder' | 'leaseTime' | 'sent'>): Lease {
    const ttl = leaseTime ?? this.registry.context.settings.watchdogTimeout;
    return new Lease(this.target, holder, ttl, sent);
  }

  protected acquireLoop(
    owner: LoopOwner,
    attempt: AcquireAttempt,
    channel = this.target.channel,
    reserved?: ReservedChannel,
  ): AcquireLoop {
    const { context } = this.registry;
    attempt.place = this.openPlace();
    const source = this.place ?? wakeSourceOf(context, this.target, channel, reserved);
    return new AcquireLoop(context, owner, attempt, source);
  }

  /** Looks after the process that a release has notified of its turn. @returns whether it comes before this one, which waits for none if it cannot be notified */
  protected watchCalled({ outcome, otherProcesses, called }: ReleaseResult): boolean {
    if (called !== undefined && isToWatch(called, otherProcesses))
      (this.openPlace() ?? placeAt(this.registry, this.target.queueTarget))?.watch(called);
    // Its reply was lost: it may have notified a process.
    else if (typeof outcome !== 'string') this.place?.watch('');
    return called !== undefined && called !== '' && this.place?.isUnreachable === false;
  }

  /** This process has no place in the queue of the lock any more, nor a waiter. */
  leftQueue(place: QueuePlace): void {
    if (this.place !== place) return;
    this.place = undefined;
    this.loop = undefined;
  }

  /** The place of this process in the queue of the lock, if it can have one. */
  openPlace(): QueuePlace | undefined {
    return (this.place ??= this.registry.places?.open(this.target));
  }
}
