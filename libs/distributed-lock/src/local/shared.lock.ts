import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { instant, type Lease } from '../renewal/lease.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import { AcquireAttempt } from '../acquire/acquire.attempt.js';
import type { LoopOwner, AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { HoldHandle } from '../holds/handle.js';
import type { HoldTerms } from '../holds/hold.contract.js';
import { Hold } from '../holds/hold.js';
import { LocalLock } from './local.lock.js';
import { LockRelease, type ReleaseResult } from './lock.release.js';
import { now } from '../timing/monotonic.clock.js';
import { LOSSES } from '../errors/loss.reasons.js';

/** How long other processes go first after a release, in ms, where there may be room for a few holders only. */
const YIELD_PAUSE = 5;

/** Many holders at a time. The first waiter sends a request; once it is granted, as many of the others as there is room for send theirs in one call. */
export class SharedLocalLock extends LocalLock implements LoopOwner {
  readonly #holds = new Map<string, Hold>();
  /** Releases under way that make room for a few holders: their outcome decides which process sends the next request. */
  #releasing = 0;

  get holds(): readonly Hold[] {
    return [...this.#holds.values()];
  }

  protected get isFree(): boolean {
    return this.#holds.size === 0;
  }

  protected enter(request: WaitRequest): Promise<HoldHandle> {
    const isBusy = this.#releasing > 0 || this.hasQueue;
    return isBusy ? this.waiters.wait(request) : this.requestFirst(request, this);
  }

  addHold(lease: Lease, terms?: HoldTerms): Hold {
    const hold = new Hold(this, lease, terms);
    this.#holds.set(lease.holder, hold);
    return hold;
  }

  /** The hold of a holder id that comes from the other side of its lock; a new one has nothing yet. To be left when it has its answer. */
  join(writer: Hold): Hold {
    const { holder } = writer.lease;
    this.registry.context.downgrades.enter(holder);
    const known = this.#holds.get(holder);
    if (known !== undefined) return known;
    return this.addHold(this.leaseOf({ holder, leaseTime: undefined, sent: instant() }), { writer });
  }

  /** The last one that has joined in vain ends the hold of the holder id, which may be another one by now. */
  leave(holder: string): void {
    const { downgrades } = this.registry.context;
    if (!downgrades.leave(holder)) return;
    const hold = this.#holds.get(holder);
    if (hold === undefined) downgrades.lost(holder);
    else if (hold.targetCount?.count === 0) downgrades.ended(holder, this.#endEmpty(hold));
  }

  next(): WaitRequest | undefined {
    // With a place in the queue the script decides whose turn it is; without a request the place would be given up.
    return this.#releasing > 0 && this.place?.isWaiting !== true ? undefined : this.first?.request;
  }

  async granted(result: AcquireResult): Promise<void> {
    this.wasGranted();
    const { first } = this;
    if (first === undefined || first.request.leaseTime !== result.leaseTime) {
      this.giveBack(result.holder, this.leaseOf(result).longestTtl);
      return;
    }
    this.#admitQueued(first, result);
    await this.#requestForOthers(this.waiters.queue.snapshot().slice(0, result.room ?? 0));
    this.stopIfUnneeded();
  }

  free(hold: Hold, releaseScript: ReleaseScript | undefined, at: number): Promise<UnlockOutcome> {
    const { lease } = hold;
    this.#holds.delete(lease.holder);
    this.wasFreed(at);
    const messagesBefore = this.loop?.messages ?? 0;
    const freed = this.#freed(hold, releaseScript, at);
    this.registry.context.downgrades.ended(
      lease.holder,
      freed.then(({ settled }) => Promise.allSettled([settled, hold.existingCount?.repairing])),
    );
    // Readers do not exclude each other.
    const isLimited = this.target.kind.side === undefined;
    if (isLimited) this.#releasing += 1;
    return this.waiters.during(async () => {
      const result = await freed;
      const isTurn = this.watchCalled(result);
      if (isLimited) {
        this.#releasing -= 1;
        // It may be its own turn: it waits while it holds others.
        const isOwn = result.called?.startsWith(`${this.registry.context.ids.client}:`) === true;
        this.#letOthersGoFirst(isOwn ? 0 : result.otherProcesses, messagesBefore, isTurn);
      }
      if (this.hasWaiters) this.wakeLoop(this);
      return await result.outcome;
    });
  }

  #letOthersGoFirst(others: number, messagesBefore: number, isTurn: boolean): void {
    if (others === 0) return;
    const pause = isTurn ? this.fairness.pauseAfter(true) : YIELD_PAUSE;
    this.yieldToOthers(others, messagesBefore, pause, isTurn);
  }

  /** Where its holder id writes on, the lock goes on with what that needs. */
  #freed(
    { lease, writer }: Hold,
    releaseScript: ReleaseScript | undefined,
    at: number,
  ): Promise<ReleaseResult> {
    const release = new LockRelease(this.registry.context, this.target, lease);
    const known = (freed: ReleaseResult) => freed;
    if (writer === undefined) return release.free(releaseScript, at, known);
    return writer.endPaired(
      (pairedLease) => release.free(releaseScript, now(), known, pairedLease),
      ({ settled }) => settled,
    );
  }

  lost(hold: Hold): void {
    const { holder } = hold.lease;
    if (this.#holds.get(holder) === hold) this.#holds.delete(holder);
    this.registry.context.downgrades.lost(holder);
    this.wasFreed();
    if (this.hasWaiters) this.wakeLoop(this);
    this.forgetIfFree();
  }

  /** One of many holders may hold for ever: its place rests as soon as it does not wait. */
  override onIdle(): void {
    super.onIdle();
    this.place?.rest();
  }

  override get isExclusive(): boolean {
    return false;
  }

  onEnter(waiter: Waiter<HoldHandle>): void {
    if (this.waiters.needsRequest(waiter)) this.wakeLoop(this);
  }

  /** An operation of the hold that is under way ends first; a grant whose answer was lost is freed. */
  async #endEmpty(hold: Hold): Promise<void> {
    await hold.reenter(undefined, () => false);
    if (hold.targetCount?.count !== 0) return;
    const ambiguousFailure = hold.existingCount?.ambiguousFailure;
    const { holder, longestTtl } = hold.lease;
    hold.lose(LOSSES.notGranted);
    await this.registry.context.backgroundRelease.release({
      target: this.target,
      holder,
      lease: longestTtl,
      failure: ambiguousFailure,
    });
  }

  /** Sends their requests in one turn of the event loop, so that they share a call. Resolves when each has its answer. */
  #requestForOthers(waiters: readonly Waiter<HoldHandle>[]): Promise<void> | undefined {
    let open = waiters.length;
    if (open === 0) return undefined;
    return new Promise((done) => {
      for (const waiter of waiters) {
        const attempt = new AcquireAttempt(this.registry.context, this.target);
        attempt.request(waiter.request, (outcome) => {
          attempt.undo();
          if (outcome.kind === 'granted') this.#admitQueued(waiter, outcome);
          open -= 1;
          if (open === 0) done();
        });
      }
    });
  }

  #admitQueued(waiter: Waiter<HoldHandle>, result: AcquireResult): void {
    this.waiters.queue.remove(waiter);
    this.admitWaiter(waiter, result);
  }
}
