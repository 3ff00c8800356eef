import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Instant, Lease } from '../renewal/lease.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import { AcquireAttempt } from '../acquire/acquire.attempt.js';
import type { AcquireLoop } from '../acquire/acquire.loop.js';
import type { LoopOwner, AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { HoldHandle } from '../holds/handle.js';
import type { HoldTerms } from '../holds/hold.contract.js';
import { Hold } from '../holds/hold.js';
import { LockRelease, type Handoff } from '../local/lock.release.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { LocalLock } from '../local/local.lock.js';
import type { LockTarget } from '../core/lock.target.js';
import { FairHeartbeat } from './fair.heartbeat.js';
import type { ReservedId } from '../local/id.reserve.js';

/** One holder at a time, in the order of the whole fleet: each waiter stands in the queue in Redis, under a holder id of its own. */
export class FairLocalLock extends LocalLock {
  readonly #fairWaiters = new Map<Waiter<HoldHandle>, FairWaiter>();
  readonly #heartbeat: FairHeartbeat;
  #hold: Hold | undefined;

  constructor(registry: LocalLockOwner<LocalLock>, target: LockTarget) {
    super(registry, target);
    const { context } = registry;
    this.#heartbeat = new FairHeartbeat(context, target, this);
  }

  /** @internal A hold that a failover has lost may stand in the queue again, and keeps others away until it ends. */
  get live(): readonly (string | number)[] {
    const { context, reserves } = this.registry;
    const holding = this.holds.map(({ lease }) => lease.holder);
    const waiting = Array.from(this.#fairWaiters.values(), ({ holder }) => holder);
    // An id of the reserve may be used while the call is under way, and is older than the newest one.
    const reserved = reserves?.unused(this.target) ?? [];
    return [...holding, ...waiting, ...reserved].map((holder) => context.ids.brief(holder));
  }

  get holds(): readonly Hold[] {
    return this.#hold === undefined ? [] : [this.#hold];
  }

  protected get isFree(): boolean {
    return this.#hold === undefined;
  }

  /** Takes a place in the queue of Redis at once, whatever this process does with the lock. */
  protected enter(request: WaitRequest): Promise<HoldHandle> {
    return this.waiters.wait(request);
  }

  addHold(lease: Lease, terms?: HoldTerms): Hold {
    const previousHold = this.#hold;
    this.#hold = new Hold(this, lease, terms);
    previousHold?.gone();
    return this.#hold;
  }

  free(hold: Hold, releaseScript: ReleaseScript | undefined, at: number): Promise<UnlockOutcome> {
    if (this.#hold === hold) this.#hold = undefined;
    this.wasFreed(at);
    return this.waiters.during(() =>
      new LockRelease(this.registry.context, this.target, hold.lease).free(
        releaseScript,
        at,
        ({ outcome, otherProcesses, handoff, lateHandoff }) => {
          if (lateHandoff !== undefined) void this.waiters.during(() => this.#handOffLate(lateHandoff));
          if (handoff !== undefined) this.#handOff(handoff);
          // Without a reply, any waiter of this process may have been handed the lock, not only the first one.
          else if (typeof outcome !== 'string') this.#wakeAll();
          // The message reached no other process: if the head of the queue is a waiter of this process, it sends a request without a message.
          else if (otherProcesses === 0) this.#wakeFirst();
          return outcome;
        },
      ),
    );
  }

  lost(hold: Hold): void {
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.wasFreed();
    this.#wakeAll();
    this.forgetIfFree();
  }

  /** @internal A place got the lock. */
  granted(waiter: Waiter<HoldHandle>, result: AcquireResult): void {
    this.wasGranted();
    this.waiters.queue.remove(waiter);
    this.#leaveQueue(waiter);
    this.admitWaiter(waiter, result);
  }

  /** @internal The loop of a place that has to wait. */
  createLoop(place: LoopOwner, attempt: AcquireAttempt, reserved: ReservedId | undefined): AcquireLoop {
    this.#heartbeat.start();
    return this.acquireLoop(place, attempt, `${this.target.channel}:${attempt.holder}`, reserved);
  }

  /** @internal The caller may be gone before the next heartbeat, or without one, but its request has shown that its process lives. */
  override wasBusy(holder: string): void {
    if (this.#hasLeft(holder)) this.#heartbeat.recall();
  }

  /** @internal A caller was refused, and waits. */
  noteWait(): void {
    this.registry.reserves?.noteWait(this.target);
  }

  onEnter(waiter: Waiter<HoldHandle>): void {
    const { context, reserves } = this.registry;
    const reserved = reserves?.take(this.target);
    const attempt = new AcquireAttempt(context, this.target, undefined, reserved?.holder);
    const fairWaiter = new FairWaiter(this, waiter, attempt, reserved);
    this.#fairWaiters.set(waiter, fairWaiter);
    fairWaiter.start();
  }

  override onLeave(waiter: Waiter<HoldHandle>): void {
    this.#leaveQueue(waiter);
  }

  /** A release made a waiter of this process the holder. A waiter that has left has undone its attempt, but a failover may have lost that. */
  #handOff({ holder, sent }: Handoff): void {
    if (this.#hasLeft(holder)) this.giveBack(holder, 0);
    else this.#fairWaiterOf(holder)?.acceptHandoff(sent);
  }

  async #handOffLate(late: Promise<Handoff | undefined>): Promise<void> {
    const handoff = await late;
    if (handoff !== undefined) this.#handOff(handoff);
  }

  /** @internal A waiter that is the holder in Redis missed the message of its hand-off. */
  isHeld(holder: string): void {
    this.#fairWaiterOf(holder)?.wake();
  }

  /** Whether an id of the queue is of this process, and neither waits nor holds. */
  #hasLeft(holder: string): boolean {
    const { ids } = this.registry.context;
    const isOwn = typeof ids.brief(holder) === 'number';
    return isOwn && holder !== this.#hold?.lease.holder && this.#fairWaiterOf(holder) === undefined;
  }

  #fairWaiterOf(holder: string): FairWaiter | undefined {
    for (const fairWaiter of this.#fairWaiters.values()) if (fairWaiter.holder === holder) return fairWaiter;
    return undefined;
  }

  #wakeAll(): void {
    for (const fairWaiter of this.#fairWaiters.values()) fairWaiter.wake();
  }

  #wakeFirst(): void {
    const { first } = this;
    if (first !== undefined) this.#fairWaiters.get(first)?.wake();
  }

  #leaveQueue(waiter: Waiter<HoldHandle>): void {
    this.#fairWaiters.get(waiter)?.leave();
    this.#fairWaiters.delete(waiter);
    this.registry.reserves?.noteEnd(this.target);
    if (this.#fairWaiters.size === 0) this.#heartbeat.stop();
  }
}

/** One waiter's place in the queue. If the lock is busy, it gets an acquire loop of its own. */
class FairWaiter implements LoopOwner {
  /** Undefined until the first request is answered with "busy". */
  #loop: AcquireLoop | undefined;
  /** Whether there is a reason for a further request since the first one was sent. */
  #isWoken = false;

  constructor(
    private readonly lock: FairLocalLock,
    private readonly waiter: Waiter<HoldHandle>,
    private readonly attempt: AcquireAttempt,
    private readonly reserved: ReservedId | undefined,
  ) {}

  get holder(): string {
    return this.attempt.holder;
  }

  get hasWaiters(): boolean {
    return !this.waiter.isDone;
  }

  /** Makes the first request, which takes the place in the queue. */
  start(): void {
    this.begin();
    this.attempt.request(this.waiter.request, (outcome) => {
      if (outcome.kind === 'granted') this.granted(outcome);
      else {
        if (outcome.kind === 'busy') this.lock.wasBusy(outcome.holder);
        if (this.hasWaiters) this.#wait(outcome);
        else this.attempt.undo();
      }
      this.end();
    });
  }

  #wait(outcome: Busy | RedisFailure): void {
    if (outcome.kind === 'busy') this.lock.noteWait();
    this.#loop = this.lock.createLoop(this, this.attempt, this.reserved);
    this.#loop.resume(outcome);
    if (this.#isWoken) this.#loop.wake();
  }

  next(): WaitRequest | undefined {
    return this.waiter.isDone ? undefined : this.waiter.request;
  }

  granted(result: AcquireResult): void {
    this.lock.granted(this.waiter, result);
  }

  notGranted(outcome: Busy | RedisFailure): void {
    this.lock.notGranted(outcome);
  }

  begin(): void {
    this.lock.begin();
  }

  end(): void {
    this.lock.end();
  }

  wake(): void {
    if (this.#loop === undefined) this.#isWoken = true;
    else this.#loop.wake();
  }

  acceptHandoff(sent: Instant): void {
    this.attempt.acceptHandoff(sent);
    this.wake();
  }

  leave(): void {
    this.#loop?.stopListening();
    this.reserved?.end();
  }
}
