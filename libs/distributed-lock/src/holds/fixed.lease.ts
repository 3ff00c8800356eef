import { safetyMargin } from '../renewal/lease.js';
import { now } from '../timing/monotonic.clock.js';

/** The shortest fixed lease, in ms: below it the safety margin leaves too little. */
export const SHORTEST_LEASE = 100;

/** A lease that is not renewed, and belongs to one acquisition. */
export interface FixedLease {
  /** What was given last, in ms. */
  readonly ttl: number;
  /** The monotonic instant at which it is over. */
  readonly end: number;
  /** The one from which it must not be believed in. */
  readonly deadline: number;
}

/** @param ttl in ms @param sentAt the monotonic instant at which it was requested */
export function fixedLease(ttl: number, sentAt: number): FixedLease {
  const end = sentAt + ttl;
  return { ttl, end, deadline: end - safetyMargin(ttl) };
}

/** What is left of it, in whole ms, at least 1. */
export function leftOf({ end }: FixedLease): number {
  return Math.max(1, Math.ceil(end - now()));
}
