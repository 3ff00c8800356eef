import type { LockSettings } from '../contracts/settings.js';
import type { Lease } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';
import type { WaitRequest } from '../waiting/waiter.js';

/**
 * How long one process may hand a lock from waiter to waiter: a row of hand-overs is bounded in number and in time, so that
 * other processes get their turn and a forced unlock is noticed.
 */
export class HandOver {
  #count = 0;
  #since = 0;

  constructor(private readonly bounds: LockSettings['handOver']) {}

  /** The lock was taken from Redis: a new row may begin. */
  begin(): void {
    this.#count = 0;
  }

  /** Counts one hand-over, if another one is within bounds. */
  next(): boolean {
    if (this.#count === 0) this.#since = now();
    if (this.#count >= this.bounds.max || now() - this.#since >= this.bounds.time) return false;
    this.#count += 1;
    return true;
  }
}

/**
 * Whether the next waiter can go on under the same holder id without asking Redis: for Redis it is one longer hold of
 * this process. Only with a watchdog lease on both sides that is surely alive and has most of its time left.
 */
export function canShare(lease: Lease, watchdogTimeout: number, next: WaitRequest): boolean {
  if (next.leaseTime !== undefined || lease.ttl !== watchdogTimeout) return false;
  if (lease.state === 'unknown' || lease.state === 'lost' || lease.isDoubtful) return false;
  return lease.deadline - now() > watchdogTimeout / 2;
}
