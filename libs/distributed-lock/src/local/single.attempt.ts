import { AcquireAttempt } from '../acquire/acquire.attempt.js';
import type { AcquireResult, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';
import { unavailable } from '../core/unavailable.errors.js';
import { forCaller } from '../errors/caller.stack.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import type { HoldHandle } from '../holds/handle.js';
import type { Hold } from '../holds/hold.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { LocalWaiters } from '../waiters/local.waiters.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';

/** A lock as this process sees it, for one attempt. */
export interface TriedLock {
  readonly registry: { readonly context: LockContext };
  readonly target: LockTarget;
  /** Of this process, in the way of other callers. */
  readonly blockingHold: Hold | undefined;
  readonly waiters: LocalWaiters<HoldHandle>;
  /** What callers call: their stacks begin there. */
  acquire(request: WaitRequest): Promise<HoldHandle>;
  wasBusy?(holder: string): void;
  admitWaiter(waiter: Waiter<HoldHandle>, result: AcquireResult): void;
}

/** Acquires a lock for a caller that does not wait: one attempt, which takes a lock that is free, whichever processes wait for it. */
export function tryOnce(lock: TriedLock, request: WaitRequest): Promise<HoldHandle> {
  const { registry, target, blockingHold, waiters } = lock;
  // First: the check of a hold may end it, and a local lock without holds and work is forgotten.
  waiters.begin();
  if (blockingHold?.isSurelyHeld === true) {
    waiters.end();
    const { lease, since } = blockingHold;
    return forCaller(() => {
      throw new LockNotAcquiredError(target.name, 0, { holder: lease.holder, since });
    });
  }
  const waiter = waiters.create(request, lock.acquire);
  const attempt = new AcquireAttempt(registry.context, target);
  const conclude = (outcome: AttemptOutcome) => {
    attempt.undo();
    if (outcome.kind === 'granted') lock.admitWaiter(waiter, outcome);
    else if (outcome instanceof RedisFailure) waiter.refuse(unavailable(target.name, outcome));
    else {
      const { holder, ttl } = outcome;
      lock.wasBusy?.(holder);
      waiter.refuse(new LockNotAcquiredError(target.name, 0, { holder: holder || undefined, ttl }));
    }
    waiters.end();
  };
  attempt.request(request, conclude, waiter.since);
  return waiter.outcome;
}
