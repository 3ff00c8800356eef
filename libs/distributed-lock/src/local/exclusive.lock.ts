import type { UnlockOutcome } from '../contracts/lock.contract.js';
import type { LossReason } from '../errors/loss.reasons.js';
import type { Lease } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import type { LoopOwner, AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { HoldHandle } from '../holds/handle.js';
import { canReuseHolder } from './handoff.policy.js';
import type { HoldTerms } from '../holds/hold.contract.js';
import { Hold } from '../holds/hold.js';
import { LockRelease, type ReleaseResult } from './lock.release.js';
import { LocalLock } from './local.lock.js';

/** One holder at a time; the waiters of this process are served in order, and only the first one makes requests to Redis. */
export class ExclusiveLocalLock extends LocalLock implements LoopOwner {
  #hold: Hold | undefined;
  /** A release or a hand-off is under way. */
  #isReleasing = false;

  get holds(): readonly Hold[] {
    return this.#hold === undefined ? [] : [this.#hold];
  }

  protected get isFree(): boolean {
    return this.#hold === undefined;
  }

  addHold(lease: Lease, terms?: HoldTerms): Hold {
    const previousHold = this.#hold;
    const hold = new Hold(this, lease, terms);
    this.#hold = hold;
    // Redis gave the lock to a new holder id: the previous one has nothing any more, whatever was still believed here.
    previousHold?.gone();
    return hold;
  }

  /** While this process holds the lock or releases it, a request would be in vain. */
  protected enter(request: WaitRequest): Promise<HoldHandle> {
    const isBusy = this.#hold !== undefined || this.#isReleasing || this.hasQueue;
    return isBusy ? this.waiters.wait(request) : this.requestFirst(request, this);
  }

  next(): WaitRequest | undefined {
    return this.#hold === undefined && !this.#isReleasing ? this.first?.request : undefined;
  }

  /** Admits the first waiter if it wants the lease that was granted. */
  granted(result: AcquireResult): Promise<void> | undefined {
    this.wasGranted();
    const { first } = this;
    const hasWantedLease = first === undefined || first.request.leaseTime === result.leaseTime;
    if (hasWantedLease) {
      this.admitFirst(result);
      return undefined;
    }
    // The waiter wants another lease than the granted one, which is exchanged by a release: no caller waits for its outcome.
    return this.handOff(this.leaseOf(result), first).then(
      () => undefined,
      () => undefined,
    );
  }

  free(hold: Hold, releaseScript: ReleaseScript | undefined, at: number): Promise<UnlockOutcome> {
    if (this.#hold === hold) this.#hold = undefined;
    this.wasFreed(at);
    const { first } = this;
    const { lease } = hold;
    // `takeNext()` also counts the hand-off.
    if (
      releaseScript !== undefined ||
      first === undefined ||
      !this.fairness.handoff.takeNext(this.waiters.size, at)
    )
      return this.releaseBy(new LockRelease(this.registry.context, this.target, lease), releaseScript, at);
    const { watchdogTimeout } = this.registry.context.settings;
    if (
      !this.target.kind.reusesHolderId ||
      !hold.hasOneAcquisition ||
      !canReuseHolder(lease, watchdogTimeout, first.request, at)
    )
      return this.waiters.during(() => this.handOff(lease, first));
    this.resolveQueued(first, this.addHold(lease).admit(first.request.leaseTime, at, undefined, at));
    return Promise.resolve('released');
  }

  lost(hold: Hold, { code }: LossReason): void {
    if (this.#hold !== hold) return;
    this.#hold = undefined;
    this.wasFreed();
    this.existingFairness?.handoff.begin();
    // Work that was given up may go on: it keeps its lease.
    if (code !== 'MAX_HOLD') this.releaseWriteSide(hold.lease);
    if (this.hasWaiters) this.wakeLoop(this);
    this.forgetIfFree();
  }

  /** Both sides have one key: while the scope still reads, its renewals also keep a lost write hold in Redis. So the write hold is released. */
  private releaseWriteSide({ holder, longestTtl }: Lease): void {
    if (this.target.kind.side === 'write' && this.registry.context.downgrades.has(holder))
      this.giveBack(holder, longestTtl);
  }

  onEnter(waiter: Waiter<HoldHandle>): void {
    if (this.#hold === undefined && !this.#isReleasing && this.waiters.needsRequest(waiter))
      this.wakeLoop(this);
  }

  /** Admits the first waiter; releases the grant when no waiter is left. */
  private admitFirst(result: AcquireResult): void {
    const waiter = this.first;
    if (waiter === undefined) this.giveBack(result.holder, this.leaseOf(result).longestTtl);
    else this.resolveQueued(waiter, this.admit(result));
  }

  private resolveQueued(waiter: Waiter<HoldHandle>, handle: HoldHandle): void {
    this.waiters.queue.remove(waiter);
    this.resolveWaiter(waiter, handle);
    this.stopIfUnneeded();
  }

  /** Hands the lock to a waiter under a holder id of its own: in one step where the kind has it, or by way of a release. */
  private async handOff(from: Lease, waiter: Waiter<HoldHandle>): Promise<UnlockOutcome> {
    const release = new LockRelease(this.registry.context, this.target, from);
    if (!release.canHandOff) return await this.releaseBy(release, undefined, now());
    this.#isReleasing = true;
    const { outcome, result } = await release.handOff(waiter.request.leaseTime);
    this.#isReleasing = false;
    if (result?.kind === 'granted') {
      await this.granted(result);
    } else {
      if (result !== undefined) this.notGranted(result);
      this.wakeLoop(this);
    }
    return await outcome;
  }

  private releaseBy(
    release: LockRelease,
    releaseScript: ReleaseScript | undefined,
    at: number,
  ): Promise<UnlockOutcome> {
    const { waiters } = this;
    waiters.begin();
    this.existingFairness?.handoff.begin();
    const messagesBefore = this.loop?.messages ?? 0;
    this.#isReleasing = true;
    return release.free(releaseScript, at, (freed) => {
      this.#isReleasing = false;
      this.freed(freed, messagesBefore);
      if (typeof freed.outcome !== 'string') return freed.outcome.finally(() => waiters.end());
      waiters.end();
      return freed.outcome;
    });
  }

  /** @param messagesBefore the number of messages before the release */
  private freed(result: ReleaseResult, messagesBefore: number): void {
    const { outcome, otherProcesses, listeners, called } = result;
    // Most releases notify no process, and their outcome is known.
    const isTurn = (called !== undefined || typeof outcome !== 'string') && this.watchCalled(result);
    const ownListeners = this.loop?.isListening === true || this.place?.listens === true ? 1 : 0;
    // The other side of a read/write lock in this process listens to the same channel, on the same connection.
    const hasOtherListeners = called === undefined && listeners > ownListeners;
    const others = Math.max(otherProcesses, hasOtherListeners ? 1 : 0);
    this.existingFairness?.handoff.noteOthers(others > 0);
    if (others > 0) this.yieldToOthers(others, messagesBefore, this.fairness.pauseAfter(isTurn), isTurn);
    if (this.first !== undefined) this.wakeLoop(this);
  }
}
