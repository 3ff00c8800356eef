import { leftOf } from './fixed.lease.js';
import type { HoldHandle } from './handle.js';
import type { TargetCount } from './hold.count.js';

/**
 * The handles of the open acquisitions of one hold, from the newest to the one that it began with: each knows the one before it, so that
 * a hold needs no list. These functions take the newest.
 */
export type HandleChain = HoldHandle | undefined;

/** The handles of a chain, from the first to the newest. They stay as they are, whatever happens to the chain. */
export function handlesOf(chain: HandleChain): readonly HoldHandle[] {
  const all: HoldHandle[] = [];
  for (let handle = chain; handle !== undefined; handle = handle.previous) all.push(handle);
  return all.toReversed();
}

/** Takes a handle out of a chain. @returns the newest of the others */
export function without(handle: HoldHandle, chain: HandleChain): HandleChain {
  if (chain === handle) return handle.previous;
  let after = chain;
  while (after !== undefined && after.previous !== handle) after = after.previous;
  if (after !== undefined) after.previous = handle.previous;
  return chain;
}

/** Whether the watchdog renews one of them. */
export function isAnyRenewed(chain: HandleChain): boolean {
  for (let handle = chain; handle !== undefined; handle = handle.previous)
    if (handle.fixed === undefined) return true;
  return false;
}

/** Whether a caller has a handle, and has opened no scope with it: inside a scope the lock would be re-entered. */
export function isAnyOutsideScope(chain: HandleChain): boolean {
  for (let handle = chain; handle !== undefined; handle = handle.previous) if (!handle.hasRun) return true;
  return false;
}

/** The watchdog's lease if one of them is renewed, or else the shortest fixed one, in ms. */
export function leaseTimeOf(chain: HandleChain, watchdogTimeout: number): number {
  let leaseTime = watchdogTimeout;
  for (let handle = chain; handle !== undefined; handle = handle.previous) {
    if (handle.fixed === undefined) return watchdogTimeout;
    leaseTime = Math.min(leaseTime, handle.fixed.ttl);
  }
  return leaseTime;
}

/** The first deadline of a fixed lease, on the monotonic clock; Infinity without one. */
export function firstDeadline(chain: HandleChain): number {
  let first = Infinity;
  for (let handle = chain; handle !== undefined; handle = handle.previous)
    if (handle.fixed !== undefined) first = Math.min(first, handle.fixed.deadline);
  return first;
}

/** What Redis is to have for them, from now on: a fixed lease is not renewed by what happens around it. */
export function targetCountOf(chain: HandleChain, watchdogTimeout: number): TargetCount {
  const handles = handlesOf(chain);
  const leases = handles.map(({ fixed }) => (fixed === undefined ? watchdogTimeout : leftOf(fixed)));
  return { count: handles.length, lease: Math.max(0, ...leases) };
}

/** The handles whose own fixed lease is over. */
export function expiredIn(chain: HandleChain, at: number): readonly HoldHandle[] | 'all' {
  const all = handlesOf(chain);
  const expired = all.filter(({ fixed }) => fixed !== undefined && at >= fixed.deadline);
  return expired.length === all.length ? 'all' : expired;
}
