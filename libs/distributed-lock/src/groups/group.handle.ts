import type { Duration } from '../contracts/duration.js';
import type { CurrentLock, LockHandleJson, UnlockOutcome } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { groupLoss, LOSSES, type LossReason } from '../errors/loss.reasons.js';
import type { HandleWatch, Watchable } from '../events/handle.watch.js';
import { parseDuration } from '../options/option.checks.js';
import { decide } from './quorum.decision.js';
import { SHORTEST_LEASE } from '../holds/fixed.lease.js';
import type { HoldHandle } from '../holds/handle.js';
import { inspectAs } from '../objects/object.form.js';

/** The options of a group that single locks do not have. */
export interface GroupLimits {
  /** How many members may stay unreleased for a while without blocking other callers. @default 0 */
  readonly spare?: number;
  /** Throws for a lease that is too long. */
  readonly checkLease?: (lease: number) => void;
  /** Called when the group is unlocked, or given back. */
  readonly closed?: (outcome: Promise<UnlockOutcome>) => void;
  /** Called when too few members are left, provided that the group's signal has been read. */
  readonly lost?: (why: string) => void;
  /** Called when a member is lost before the group is unlocked, provided the same. */
  readonly memberLost?: (member: HoldHandle) => void;
}

/** Several handles as one. The group is held for as long as `needed` of its members are. */
export class GroupHandle implements CurrentLock, Watchable {
  static {
    inspectAs('LockHandle', GroupHandle);
  }

  #members: readonly HoldHandle[];
  readonly #needed: number;
  readonly #bounds: GroupLimits;
  readonly token = undefined;
  readonly tick = undefined;
  readonly attempt = undefined;
  #controller: AbortController | undefined;
  #unlocking: Promise<UnlockOutcome> | undefined;
  /** Whether the group was lost before it was unlocked. */
  #wasLost = false;
  /** Undefined without listeners. */
  #watch: HandleWatch | undefined;

  constructor(
    readonly name: string,
    members: readonly HoldHandle[],
    needed: number,
    bounds: GroupLimits = {},
  ) {
    this.#members = members;
    this.#needed = needed;
    this.#bounds = bounds;
  }

  /** @internal The handles of the group; the fault tests compare them with Redis. */
  get members(): readonly HoldHandle[] {
    return this.#members;
  }

  /** @internal How many members the group needs. */
  get needed(): number {
    return this.#needed;
  }

  /** The holder id of a red lock, which most of its servers have stored; the ids of a multi lock's members. */
  get holder(): string {
    return [...new Set(this.#members.slice(0, this.#needed).map(({ holder }) => holder))].join(' ');
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#unlocking !== undefined) this.#controller.abort(this.#over());
      else for (const member of this.#members) this.#listen(member, this.#controller);
    }
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    return this.#unlocking === undefined && this.#hasEnough;
  }

  assertHeld(): void {
    if (this.isHeld) return;
    throw this.#unlocking === undefined ? this.#loss() : this.#over();
  }

  /**
   * Adds a granted member. A complete group accepts members only while it is held: while it had too few members another caller
   * may have held the lock, so such a group must never count as held again.
   */
  join(member: HoldHandle): void {
    this.#members = [...this.#members, member];
    if (this.#watch !== undefined) member.watch(this.#follow(this.#watch));
    if (this.#controller !== undefined) this.#listen(member, this.#controller);
  }

  watch(watch: HandleWatch): void {
    this.#watch = watch;
    for (const member of this.#members) member.watch(this.#follow(watch));
  }

  /** Whether the group has not been unlocked yet. */
  get isOpen(): boolean {
    return this.#unlocking === undefined;
  }

  async extend(leaseTime: Duration): Promise<boolean> {
    const option = { option: 'leaseTime', lock: this.name, min: SHORTEST_LEASE };
    const lease = parseDuration(leaseTime, option);
    this.#bounds.checkLease?.(lease);
    // Members in doubt, as after a suspend, may be held yet.
    if (!this.isOpen || this.#count(({ isOpen }) => isOpen) < this.#needed) return false;
    const requests = this.#members.map((member) => member.extend(lease));
    return await decide(requests, (answers, failures) => {
      const extended = answers.filter(Boolean).length;
      if (extended >= this.#needed) return true;
      // Not before all members have answered: a caller that learns of a loss must not find the lock held by a member still unanswered.
      const isOver = answers.length + failures === requests.length;
      return isOver && failures + extended < this.#needed ? false : undefined;
    });
  }

  unlock(): Promise<UnlockOutcome> {
    if (this.#unlocking === undefined) {
      this.#wasLost = !this.#hasEnough;
      // Before the members are unlocked, because the group listens to their signals.
      this.#controller?.abort(this.#over());
    }
    return (this.#unlocking ??= this.#closing(this.#unlock()));
  }

  /** Opens the scope of every member, so that each member may be re-entered. */
  run<T>(work: () => T): T {
    return this.#watch === undefined ? this.enter(work) : this.#watch.around(() => this.enter(work));
  }

  /** The same for requests of the library itself, whose errors are not those of the caller's work. */
  enter<T>(work: () => T): T {
    const inAll = this.#members.reduce<() => T>(
      (inner, member) => () => member.runAs(this, inner),
      () => work(),
    );
    return inAll();
  }

  toJSON(): LockHandleJson {
    return { name: this.name, holder: this.holder, isHeld: this.isHeld };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Throwing here would hide the error of the block; each member logs its failure, and goes on releasing in the background.
    await this.unlock().catch(() => undefined);
  }
  /** Releases the members, whether they are enough or not; a release without an answer is repeated in the background. */
  async giveBack(): Promise<void> {
    this.#unlocking ??= this.#closing(Promise.resolve('lost'));
    await Promise.allSettled(this.#members.map((member) => member.unlock()));
  }

  /** Releases every member, even if some releases fail. The group is free as soon as no more are left than can be spared. */
  async #unlock(): Promise<UnlockOutcome> {
    // After a suspend the members are in doubt: not relied on, and yet not lost.
    const open = this.#members.filter((member) => member.isHeld || member.isOpen);
    const requests = open.map((member) => member.unlock());
    if (open.length < this.#needed) {
      await Promise.allSettled(requests);
      return 'lost';
    }
    return await decide(requests, (outcomes, failures) => {
      const lost = outcomes.filter((outcome) => outcome === 'lost').length;
      if (open.length - lost < this.#needed) return 'lost';
      const isOver = outcomes.length + failures === open.length;
      const isFree =
        outcomes.length - lost >= this.#needed || (isOver && failures <= (this.#bounds.spare ?? 0));
      if (!isFree) return undefined;
      return outcomes.includes('kept') ? 'kept' : 'released';
    });
  }

  #closing(outcome: Promise<UnlockOutcome>): Promise<UnlockOutcome> {
    this.#bounds.closed?.(outcome);
    this.#watch?.unlocking(outcome);
    return outcome;
  }

  /** The loss of a member may leave too few. */
  #follow(watch: HandleWatch): HandleWatch {
    return {
      lost: () => {
        if (this.#unlocking === undefined && !this.#hasEnough) watch.lost(this.#why);
      },
      unlocking: () => undefined,
      around: (work) => work(),
    };
  }

  #listen(member: HoldHandle, controller: AbortController): void {
    const { signal } = member;
    const check = () => {
      if (this.isOpen && member.loss !== undefined) this.#bounds.memberLost?.(member);
      if (controller.signal.aborted || this.#count((each) => !each.signal.aborted) >= this.#needed) return;
      // A member that was aborted, as at shutdown, is still held: the group is aborted for the same reason.
      const isLost = !this.#hasEnough;
      controller.abort(isLost ? this.#loss() : signal.reason);
      if (isLost) this.#bounds.lost?.(this.#why);
    };
    if (signal.aborted) check();
    else signal.addEventListener('abort', check, { once: true });
  }

  /** Why an unlocked group is not held. */
  #over(): LockLostError {
    if (this.#wasLost) return this.#loss();
    return LockLostError.of(this.name, LOSSES.unlocked);
  }

  #loss(): LockLostError {
    return LockLostError.of(this.name, this.#reason);
  }

  get #why(): string {
    return this.#reason.why;
  }

  get #reason(): LossReason {
    const first = this.#firstLoss;
    // Members that were released because of the loss were held until then.
    const held = this.#count(({ isHeld, isOpen, loss }) => isHeld || !(isOpen || loss));
    const text = `only ${held} of its ${this.#members.length} locks are held, and ${this.#needed} are needed`;
    return groupLoss(text, first?.reason, first?.lock);
  }

  get #firstLoss(): LockLostError | undefined {
    return this.#members.find(({ loss }) => loss !== undefined)?.loss;
  }

  get #hasEnough(): boolean {
    return this.#count(({ isHeld }) => isHeld) >= this.#needed;
  }

  #count(matches: (member: HoldHandle) => boolean): number {
    return this.#members.filter(matches).length;
  }
}
