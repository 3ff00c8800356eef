import type { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { AcquireHost, Granted } from '../acquire/acquire.contract.js';
import type { AcquireLoop } from '../acquire/acquire.loop.js';
import type { Waiter, WaitRequest } from '../waiters/waiter.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { RegistryPort } from '../local/local.lock.registry.js';
import { LocalWaiters, type WaitersOwner } from '../waiters/local.waiters.js';

/** A latch or a semaphore as this process sees it: its waiters, and the loop that makes requests for them. */
export abstract class LocalCounter<W, G extends Granted, R extends WaitRequest = WaitRequest>
  implements AcquireHost<W, G>, WaitersOwner<void, R>
{
  readonly waiters = new LocalWaiters<void, R>(this);
  protected abstract readonly loop: AcquireLoop<W, G>;

  constructor(
    readonly registry: RegistryPort<LocalCounter<W, G, R>>,
    readonly target: CounterTarget,
  ) {}

  abstract next(): W | undefined;
  abstract granted(grant: G): void;

  get knownWaiters(): LocalWaiters<void, R> {
    return this.waiters;
  }

  get isWaitedFor(): boolean {
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

  onEnter(waiter: Waiter<void, R>): void {
    if (this.waiters.isReasonToAsk(waiter)) this.loop.wake();
  }

  onLeave(): void {
    this.stopIfUnneeded();
  }

  onIdle(): void {
    this.registry.forget(this);
  }

  /** Without a waiter there is no need to listen. */
  protected stopIfUnneeded(): void {
    if (!this.isWaitedFor) this.loop.stopListening();
  }
}
