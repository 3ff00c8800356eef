import type { LockSettings } from '../contracts/settings.js';
import { safetyMargin, type Lease } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';
import type { WaitRequest } from '../waiters/waiter.js';

/** Hand-offs in a row while it is not known whether other processes wait. */
const UNKNOWN = 64;

/** And where they do, if so many wait here: below it a row is so short that the way between processes is all that is done. */
const LEAST = 16;

/**
 * How long one process may hand a lock from waiter to waiter: a row of hand-offs is bounded in number and in time, so that
 * other processes get the lock and a forced unlock is noticed. While other processes wait, a row ends with the callers that were
 * waiting when it began: a caller that comes back at once is served after the other processes.
 */
export class HandoffPolicy {
  #count = 0;
  #since = 0;
  #max = 0;
  #others: boolean | undefined;

  constructor(private readonly bounds: LockSettings['handOver']) {}

  /** The lock was taken from Redis: a new row may begin. */
  begin(): void {
    this.#count = 0;
  }

  /** Whether other processes wait, by the reply of the last release. */
  noteOthers(others: boolean): void {
    this.#others = others;
  }

  /** Counts one hand-off if it is within the bounds. @param waiting the number of waiters of this process @param at the monotonic clock */
  takeNext(waiting: number, at = now()): boolean {
    if (this.#count === 0) {
      this.#since = at;
      this.#max = Math.min(this.bounds.max, this.#bound(waiting));
    }
    if (this.#count >= this.#max || at - this.#since >= this.bounds.time) return false;
    this.#count += 1;
    return true;
  }

  #bound(waiting: number): number {
    if (this.#others === undefined) return UNKNOWN;
    return this.#others ? Math.max(waiting, LEAST) : Infinity;
  }
}

/** The least part of a fixed lease that a hand-off inside the process may pass on: a slow reply of Redis may cost more. */
const NEARLY_ALL = 0.99;

/**
 * Whether the next waiter can go on under the same holder id without a request to Redis: for Redis it is one longer hold of this process.
 * Only with a lease of the length that it wants, the longest that was ever requested, and which is surely alive: one that the watchdog
 * renews must have most of its time left, a fixed one nearly all of it.
 * @param at the monotonic clock
 */
export function canReuseHolder(
  lease: Lease,
  watchdogTimeout: number,
  next: WaitRequest,
  at = now(),
): boolean {
  const { leaseTime: fixed, leaseTime: wanted = watchdogTimeout } = next;
  if (lease.longestTtl !== wanted) return false;
  if (lease.state === 'unknown' || lease.state === 'lost' || lease.isDoubtfulAt(at)) return false;
  // What was cut off of its deadline counts as gone.
  const left = lease.deadline - at;
  // The lease is longer than requested: if this holder died, the lock would stay held for too long.
  if (left > wanted) return false;
  return fixed === undefined ? left > wanted / 2 : left >= fixed * NEARLY_ALL - safetyMargin(fixed);
}
