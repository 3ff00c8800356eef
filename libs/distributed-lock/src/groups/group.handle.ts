import type { Duration } from '../contracts/duration.js';
import type { CurrentLock, LockHandleJson, UnlockOutcome } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { groupLoss, LOSSES, type LossReason } from '../errors/loss.reasons.js';
import type { HandleWatch, Watchable } from '../events/handle.watch.js';
import { parseDuration } from '../timing/duration.parser.js';
import { decide } from './quorum.decision.js';
import { SHORTEST_LEASE } from '../holds/fixed.lease.js';
import type { HoldHandle } from '../holds/handle.js';
import { inspectAs } from '../contracts/object.form.js';

/** What a group has that several locks taken together have not. */
export interface GroupBounds {
  /** How many members may stay unreleased for a while, and yet be in nobody's way. @default 0 */
  readonly spare?: number;
  /** Throws for a lease that is too long. */
  readonly checkLease?: (lease: number) => void;
  /** Called when it is unlocked, or given back. */
  readonly closed?: (outcome: Promise<UnlockOutcome>) => void;
  /** Called when too few are left, once its signal has been read. */
  readonly lost?: (why: string) => void;
}

/** Several grants in one hand. It is held for as long as `needed` of them are. */
export class GroupHandle implements CurrentLock, Watchable {
  static {
    inspectAs('LockHandle', GroupHandle);
  }

  #members: readonly HoldHandle[];
  readonly #needed: number;
  readonly #bounds: GroupBounds;
  readonly token = undefined;
  readonly tick = undefined;
  readonly attempt = undefined;
  #controller: AbortController | undefined;
  #unlocking: Promise<UnlockOutcome> | undefined;
  /** Whether it was lost before it was unlocked. */
  #wasLost = false;
  /** Undefined where nobody listens. */
  #watch: HandleWatch | undefined;

  constructor(
    readonly name: string,
    members: readonly HoldHandle[],
    needed: number,
    bounds: GroupBounds = {},
  ) {
    this.#members = members;
    this.#needed = needed;
    this.#bounds = bounds;
  }

  /** @internal What it stands on; the fault tests compare it with Redis. */
  get members(): readonly HoldHandle[] {
    return this.#members;
  }

  /** @internal How many of them it needs. */
  get needed(): number {
    return this.#needed;
  }

  /** The holder id of a red lock, by which most of its servers know it; the ids of a multi lock's members. */
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
   * One more member was granted. Once the group is complete, one may join it only while it is held: in a group that had too few for a
   * moment somebody else may have been, and it must never be believed in again.
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

  /** Whether nobody has unlocked it yet. */
  get isOpen(): boolean {
    return this.#unlocking === undefined;
  }

  async extend(leaseTime: Duration): Promise<boolean> {
    const option = { option: 'leaseTime', lock: this.name, min: SHORTEST_LEASE };
    const lease = parseDuration(leaseTime, option);
    this.#bounds.checkLease?.(lease);
    if (!this.isHeld) return false;
    const asked = this.#members.map((member) => member.extend(lease));
    return await decide(asked, (answers, failures) => {
      const extended = answers.filter(Boolean).length;
      if (extended >= this.#needed) return true;
      // Not before all have answered: who is told of a loss must not find the lock held by one that has not been told yet.
      const isOver = answers.length + failures === asked.length;
      return isOver && failures + extended < this.#needed ? false : undefined;
    });
  }

  unlock(): Promise<UnlockOutcome> {
    if (this.#unlocking === undefined) {
      this.#wasLost = !this.#hasEnough;
      // Before its members are unlocked, to whose signals it listens.
      this.#controller?.abort(this.#over());
    }
    return (this.#unlocking ??= this.#closing(this.#unlock()));
  }

  /** Opens the scope of every member, so that each may be re-entered. */
  run<T>(work: () => T): T {
    const enter = this.#members.reduce<() => T>(
      (inner, member) => () => member.runAs(this, inner),
      () => work(),
    );
    return this.#watch === undefined ? enter() : this.#watch.around(enter);
  }

  toJSON(): LockHandleJson {
    return { name: this.name, holder: this.holder, isHeld: this.isHeld };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Throwing here would hide the error of the block; each member tells the log, and goes on releasing in the background.
    await this.unlock().catch(() => undefined);
  }
  /** Releases what there is, whether it is enough or not; what gets no answer goes on being released in the background. */
  async giveBack(): Promise<void> {
    this.#unlocking ??= this.#closing(Promise.resolve('lost'));
    await Promise.allSettled(this.#members.map((member) => member.unlock()));
  }

  /** Every member is released, whatever becomes of the others. As soon as no more are left than can be spared, it is free. */
  async #unlock(): Promise<UnlockOutcome> {
    // After a suspend its members are in doubt: not believed in, and yet not lost.
    const open = this.#members.filter((member) => member.isHeld || member.isOpen);
    const asked = open.map((member) => member.unlock());
    if (open.length < this.#needed) {
      await Promise.allSettled(asked);
      return 'lost';
    }
    return await decide(asked, (outcomes, failures) => {
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

  /** A member that is lost may be one too many. */
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
      if (controller.signal.aborted || this.#count((each) => !each.signal.aborted) >= this.#needed) return;
      // A member that was told to stop, as at shutdown, is held yet: its reason is the group's.
      const isLost = !this.#hasEnough;
      controller.abort(isLost ? this.#loss() : signal.reason);
      if (isLost) this.#bounds.lost?.(this.#why);
    };
    if (signal.aborted) check();
    else signal.addEventListener('abort', check, { once: true });
  }

  /** Why a group that was unlocked is not held. */
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
    const held = this.#count(({ isHeld }) => isHeld);
    const told = `${held} of its ${this.#members.length} locks are held, of ${this.#needed} needed`;
    return groupLoss(told, first?.reason, first?.lock);
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
