import type { Lease } from '../renewal/lease.js';
import type { Account } from './count.ledger.js';
import type { Grant } from './grant.js';

/** The open acquisitions of one hold, and what they need together. */
export class GrantBook {
  readonly #open = new Set<Grant>();
  #first: Grant | undefined;

  constructor(private readonly watchdogTimeout: number) {}

  get size(): number {
    return this.#open.size;
  }

  /** Whether one of them wants the lease renewed. */
  get wantsRenewal(): boolean {
    for (const grant of this.#open) if (!grant.isFixed) return true;
    return false;
  }

  /** What Redis is to have for them, from now on: a fixed lease is not renewed by what happens around it. */
  get account(): Account {
    let lease = 0;
    for (const grant of this.#open)
      lease = Math.max(lease, grant.isFixed ? grant.left : this.watchdogTimeout);
    return { count: this.#open.size, lease };
  }

  add(grant: Grant): void {
    this.#open.add(grant);
    this.#first ??= grant;
  }

  remove(grant: Grant): void {
    this.#open.delete(grant);
  }

  /** Whether it is the one that the hold began with. */
  isFirst(grant: Grant): boolean {
    return grant === this.#first;
  }

  all(): Grant[] {
    return [...this.#open];
  }

  /** Those whose own fixed lease is over. */
  over(at: number): Grant[] {
    return this.all().filter((grant) => at >= grant.deadline);
  }

  nextDeadline(lease: Lease): number {
    let next = lease.deadline;
    for (const grant of this.#open) next = Math.min(next, grant.deadline);
    return next;
  }

  clear(): void {
    this.#open.clear();
  }
}
