import type { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { LoopOwner, GrantedResult } from '../acquire/acquire.contract.js';
import type { AcquireLoop } from '../acquire/acquire.loop.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { LocalWaiters, type LocalWaitersOwner } from '../waiters/local.waiters.js';

/** A latch or a semaphore as this process sees it: its waiters, and the loop that makes requests for them. */
export abstract class LocalCounter<
  Terms,
  Result extends GrantedResult,
  Request extends WaitRequest = WaitRequest,
>
  implements LoopOwner<Terms, Result>, LocalWaitersOwner<void, Request>
{
  readonly waiters = new LocalWaiters<void, Request>(this);
  protected abstract readonly loop: AcquireLoop<Terms, Result> | undefined;

  constructor(
    readonly registry: LocalLockOwner<LocalCounter<Terms, Result, Request>>,
    readonly target: CounterTarget,
  ) {}

  abstract next(): Terms | undefined;
  abstract granted(grant: Result): void;
  /** Starts the loop, or ends its sleep. */
  protected abstract wakeLoop(): void;

  get existingWaiters(): LocalWaiters<void, Request> {
    return this.waiters;
  }

  get hasWaiters(): boolean {
    return this.waiters.first !== undefined;
  }

  notGranted(outcome: Busy | RedisFailure): void {
    this.waiters.notGranted(outcome);
  }

  begin(): void {
    this.waiters.begin();
  }

  end(): void {
    this.waiters.end();
  }

  onEnter(waiter: Waiter<void, Request>): void {
    if (this.waiters.needsRequest(waiter)) this.wakeLoop();
  }

  onLeave(): void {
    this.stopIfUnneeded();
  }

  onIdle(): void {
    this.registry.forget(this);
  }

  /** Without a waiter there is no need to listen. */
  protected stopIfUnneeded(): void {
    if (!this.hasWaiters) this.loop?.stopListening();
  }
}
