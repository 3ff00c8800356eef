import { LockLostError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import type { Lease } from '../renewal/lease.js';
import type { Upkeep } from '../renewal/lease.listener.js';
import { epochOf, wallTime } from '../timing/monotonic.clock.js';
import type { TargetCount } from './hold.count.js';
import type { HoldHandle } from './handle.js';
import type { LockContext } from '../core/lock.context.js';

/**
 * The open acquisitions of one hold, and what they need together: a chain, from the newest to the one that it began with. What a hold
 * is made on, and no part of it: for each lock that is held an object less, and a list.
 */
export abstract class HandleList implements Upkeep {
  abstract readonly context: Pick<LockContext, 'settings'>;
  abstract readonly lease: Lease;
  #newest: HoldHandle | undefined;
  /** When the first one was counted, on the wall clock of this process. */
  #begun: number | undefined;

  /** The lease of the watchdog, in ms. */
  protected get watchdogTimeout(): number {
    return this.context.settings.watchdogTimeout;
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
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous)
      if (!grant.hasRun) return true;
    return false;
  }

  protected get isEmpty(): boolean {
    return this.#newest === undefined;
  }

  /** How many are open. */
  protected get size(): number {
    let size = 0;
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous) size += 1;
    return size;
  }

  /**
   * What the watchdog is to renew to, in ms; 0 when all leases are fixed. Those it looks at: one that is gone before its time must
   * not be believed in, and one that others have set below its time is raised by the look (wire format D17).
   */
  get renewalTtl(): number {
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous)
      if (!grant.isFixed) return this.watchdogTimeout;
    return 0;
  }

  /** A third of it is between two questions of the watchdog, in ms: that of its own leases, or of the shortest fixed one. */
  get span(): number {
    let span = this.watchdogTimeout;
    if (this.renewalTtl > 0) return span;
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous)
      span = Math.min(span, grant.fixedLease);
    return span;
  }

  /** What Redis is to have for them, from now on: a fixed lease is not renewed by what happens around it. */
  protected get requiredCount(): TargetCount {
    let lease = 0;
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous)
      lease = Math.max(lease, grant.isFixed ? grant.left : this.watchdogTimeout);
    return { count: this.size, lease };
  }

  /** Of the hold's lease, or of a fixed one that ends before. */
  get nextDeadline(): number {
    let next = this.lease.deadline;
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous)
      next = Math.min(next, grant.deadline);
    return next;
  }

  protected add(grant: HoldHandle): void {
    grant.previous = this.#newest;
    this.#newest = grant;
    this.#begun ??= wallTime();
  }

  protected remove(grant: HoldHandle): void {
    if (this.#newest === grant) {
      this.#newest = grant.previous;
      return;
    }
    let after = this.#newest;
    while (after !== undefined && after.previous !== grant) after = after.previous;
    if (after !== undefined) after.previous = grant.previous;
  }

  /** From the first to the newest. They stay as they are, whatever happens to the book. */
  protected all(): readonly HoldHandle[] {
    const all: HoldHandle[] = [];
    for (let grant = this.#newest; grant !== undefined; grant = grant.previous) all.push(grant);
    return all.toReversed();
  }

  /**
   * Ends those whose own fixed lease is over inside a hold that goes on; Redis' count follows with the hold's next operation.
   * @returns false when none would be left: then the hold is over
   */
  protected endExpired(at: number, lock: string): boolean {
    const over = this.all().filter((grant) => at >= grant.deadline);
    if (over.length > 0 && over.length === this.size) return false;
    for (const grant of over) {
      this.remove(grant);
      grant.lose(LockLostError.of(lock, LOSSES.innerLeaseOver));
    }
    return true;
  }

  /** Aborts the work without ending the hold: it may still unlock in good order. */
  abort(loss: LockLostError): void {
    for (const grant of this.all()) grant.abort(loss);
  }

  protected clear(): void {
    this.#newest = undefined;
  }
}
