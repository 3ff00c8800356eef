import type { Duration } from '../contracts/duration.js';
import type { CurrentLock, LockHandleJson, UnlockOutcome } from '../contracts/lock.contract.js';
import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import type { HandleWatch, Watchable } from '../events/handle.watch.js';
import { runInScope, type ScopedHold } from './hold.scope.js';
import type { HoldTimers } from './hold.timers.js';
import { parseDuration } from '../options/option.checks.js';
import { now } from '../timing/monotonic.clock.js';
import type { Lease } from '../renewal/lease.js';
import { fixedLease, SHORTEST_LEASE, type FixedLease } from './fixed.lease.js';
import type { LockTarget } from '../core/lock.target.js';
import { inspectAs } from '../objects/object.form.js';

/** What a grant needs of its hold. */
export interface HandleOwner extends ScopedHold {
  readonly target: LockTarget;
  readonly lease: Lease;
  /** The newest fencing token, for holds that have one. */
  readonly token: bigint | undefined;
  /** What most holds do not have. */
  readonly extras: { readonly timers?: HoldTimers };
  /** Whether the lease may be believed in. */
  readonly isBelieved: boolean;
  /** Ends what is past its deadline, at once. */
  checkDeadlines(at?: number): void;
  /** @param at the monotonic clock */
  release(grant: HoldHandle, at: number): Promise<UnlockOutcome>;
  extend(grant: HoldHandle, lease: number): Promise<boolean>;
}

/** One acquisition of a hold, as its user has it in hand. */
export class HoldHandle implements CurrentLock, Watchable {
  static {
    inspectAs('LockHandle', HoldHandle);
  }

  readonly #hold: HandleOwner;
  /** @internal The one that its hold has counted before it, in the chain of those that are open. */
  previous: HoldHandle | undefined = undefined;
  #hasRun = false;
  /** @internal Its own lease, which is not renewed; undefined when the watchdog renews. */
  fixed: FixedLease | undefined = undefined;
  #controller: AbortController | undefined;
  /** How it ended: it was lost, or is being unlocked. */
  #end: LockLostError | Promise<UnlockOutcome> | undefined;
  /** Undefined without a listener. */
  #watch: HandleWatch | undefined;

  constructor(
    hold: HandleOwner,
    /** The fixed lease in ms; undefined when the watchdog renews. */
    leaseTime: number | undefined,
    sentAt: number,
  ) {
    this.#hold = hold;
    if (leaseTime !== undefined) this.fixed = fixedLease(leaseTime, sentAt);
  }

  /** @internal What it stands on; the fault tests compare it with Redis. */
  get lease(): Lease {
    return this.#hold.lease;
  }

  /** @internal Whether a scope was opened with it. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** @internal The timers of its hold, where the hold has no earlier acquisition. */
  get ownTimers(): HoldTimers | undefined {
    return this.previous === undefined ? this.#hold.extras.timers : undefined;
  }

  get name(): string {
    return this.#hold.target.name;
  }

  get holder(): string {
    return this.#hold.lease.holder;
  }

  get token(): bigint | undefined {
    return this.#hold.token;
  }

  /** Only of a tick. */
  get tick(): number | undefined {
    return undefined;
  }

  /** Only of a tick. */
  get attempt(): number | undefined {
    return undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    this.#hold.checkDeadlines();
    if (!this.isOpen) this.#controller.abort(this.loss ?? LockLostError.of(this.name, LOSSES.unlocked));
    return this.#controller.signal;
  }

  get isHeld(): boolean {
    // After a stall the timer that would abort the signal has not run yet: the first read does its work.
    this.#hold.checkDeadlines();
    return this.isOpen && this.#hold.isBelieved;
  }

  /** Whether its signal was aborted. */
  get isAborted(): boolean {
    return this.#controller?.signal.aborted === true;
  }

  /** Neither unlocked nor lost. */
  get isOpen(): boolean {
    return this.#end === undefined;
  }

  /** Why the lease was lost, if it was. */
  get loss(): LockLostError | undefined {
    return this.#end instanceof LockLostError ? this.#end : undefined;
  }

  assertHeld(): void {
    if (this.isHeld) return;
    if (this.isOpen) throw LockLostError.of(this.name, LOSSES.unconfirmed);
    throw this.loss ?? LockLostError.of(this.name, LOSSES.unlocked);
  }

  async extend(leaseTime: Duration): Promise<boolean> {
    const lease = parseDuration(leaseTime, { option: 'leaseTime', lock: this.name, min: SHORTEST_LEASE });
    this.#hold.checkDeadlines();
    // In doubt, as after a suspend, the script decides.
    return this.isOpen ? await this.#hold.extend(this, lease) : false;
  }

  unlock(): Promise<UnlockOutcome> {
    const at = now();
    // A listener of an inner lease that ends may call unlock(), too.
    if (this.#end === undefined) this.#hold.checkDeadlines(at);
    if (this.#end instanceof Promise) return this.#end;
    const isLost = this.#end !== undefined;
    const outcome = isLost ? Promise.resolve<UnlockOutcome>('lost') : this.#hold.release(this, at);
    if (!isLost) {
      this.#end = outcome;
      // Work that goes on without its lock learns it as it would of a loss, and at once: before anyone else can have the lock.
      this.#controller?.abort(LockLostError.of(this.name, LOSSES.unlocked));
    }
    this.#watch?.unlocking(outcome);
    // A repeated unlock is not an event.
    this.#watch = undefined;
    return outcome;
  }

  run<T>(work: () => T): T {
    const watch = this.#watch;
    return watch === undefined ? this.runAs(this, work) : watch.around(() => this.runAs(this, work));
  }

  /** Runs `work` in the scope of this hold, where `currentLock()` gives `handle`. */
  runAs<T>(handle: CurrentLock, work: () => T): T {
    this.#hasRun = true;
    return runInScope(this.#hold, handle, work, this.name);
  }

  /** The acquisition is not held any more; its signal is aborted. */
  lose(loss: LockLostError): void {
    if (!this.isOpen) return;
    this.#end = loss;
    this.#controller?.abort(loss);
    this.#watch?.lost(loss.why);
  }

  watch(watch: HandleWatch): void {
    this.#watch = watch;
    if (this.loss !== undefined) watch.lost(this.loss.why);
  }

  /** Aborts the signal while the lease is alive. */
  abort(loss: LockLostError): void {
    this.#controller ??= new AbortController();
    this.#controller.abort(loss);
  }

  /** Moves the deadline of a fixed lease; never back. */
  extendTo(leaseTime: number, sentAt: number): void {
    const next = fixedLease(leaseTime, sentAt);
    if (this.fixed === undefined || next.end <= this.fixed.end) return;
    this.fixed = { ...next, deadline: Math.max(this.fixed.deadline, next.deadline) };
  }

  toJSON(): LockHandleJson {
    const token = this.token;
    return {
      name: this.name,
      holder: this.holder,
      isHeld: this.isHeld,
      ...(token === undefined ? {} : { token: token.toString() }),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Throwing here would hide the error of the block. The hold writes to the log, and the release goes on in the background.
    await this.unlock().catch(() => undefined);
  }
}
