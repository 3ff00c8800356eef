import { LockLostError } from '../errors/lock.errors.js';
import type { Lease } from '../renewal/lease.js';
import type { Upkeep } from '../renewal/lease.listener.js';
import type { Account } from './count.ledger.js';
import type { Grant } from './grant.js';

const NONE: readonly Grant[] = [];

/** The open acquisitions of one hold, and what they need together. */
export class GrantBook implements Upkeep {
  #open = NONE;
  #first: Grant | undefined;

  constructor(
    private readonly lease: Lease,
    private readonly watchdogTimeout: number,
  ) {}

  get size(): number {
    return this.#open.length;
  }

  /**
   * What the watchdog is to renew to, in ms; 0 when all leases are fixed. Those it looks at: one that is gone before its time must
   * not be believed in, and one that others have set below its time is raised by the look (wire format D17).
   */
  get renewalTtl(): number {
    for (const grant of this.#open) if (!grant.isFixed) return this.watchdogTimeout;
    return 0;
  }

  /** A third of it is between two questions of the watchdog, in ms: that of its own leases, or of the shortest fixed one. */
  get span(): number {
    let span = this.watchdogTimeout;
    if (this.renewalTtl === 0) for (const { fixedLease } of this.#open) span = Math.min(span, fixedLease);
    return span;
  }

  /** What Redis is to have for them, from now on: a fixed lease is not renewed by what happens around it. */
  get account(): Account {
    let lease = 0;
    for (const grant of this.#open)
      lease = Math.max(lease, grant.isFixed ? grant.left : this.watchdogTimeout);
    return { count: this.#open.length, lease };
  }

  add(grant: Grant): void {
    this.#open = this.#open.length === 0 ? [grant] : [...this.#open, grant];
    this.#first ??= grant;
  }

  remove(grant: Grant): void {
    const isAlone = this.#open.length === 1 && this.#open[0] === grant;
    this.#open = isAlone ? NONE : this.#open.filter((other) => other !== grant);
  }

  /** Whether it is the one that the hold began with. */
  isFirst(grant: Grant): boolean {
    return grant === this.#first;
  }

  /** They stay as they are, whatever happens to the book. */
  all(): readonly Grant[] {
    return this.#open;
  }

  /**
   * Ends those whose own fixed lease is over inside a hold that goes on; Redis' count follows with the hold's next operation.
   * @returns false when none would be left: then the hold is over
   */
  outlive(at: number, lock: string): boolean {
    if (!this.#open.some((grant) => at >= grant.deadline)) return true;
    const over = this.#open.filter((grant) => at >= grant.deadline);
    if (over.length === this.#open.length) return false;
    for (const grant of over) {
      this.remove(grant);
      grant.lose(new LockLostError(lock, 'its own lease was over, inside a hold that goes on'));
    }
    return true;
  }

  /** Of the hold's lease, or of a fixed one that ends before. */
  get nextDeadline(): number {
    let next = this.lease.deadline;
    for (const grant of this.#open) next = Math.min(next, grant.deadline);
    return next;
  }

  clear(): void {
    this.#open = NONE;
  }
}
