import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { LockContext } from '../core/lock.context.js';
import { now } from '../timing/monotonic.clock.js';
import type { Waiter } from '../acquire/waiter.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { AttemptPort, AcquireHost, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockHome } from '../local/local.locks.js';
import { LocalWaiters, type WaitersOwner } from '../waiters/local.waiters.js';

/** A check of the latch. */
interface Look {
  /** The monotonic instant at which the check was sent. */
  readonly at: number;
}

/** A check that found the latch open. */
interface Opened extends Look {
  readonly kind: 'granted';
}

/** A latch as this process sees it: one check that finds it open resolves all waiters of this process. */
export class LocalLatch implements AcquireHost<Look, Opened>, AttemptPort<Look, Opened>, WaitersOwner<void> {
  readonly context: LockContext;
  readonly waiters = new LocalWaiters<void>(this);
  readonly #loop: AcquireLoop<Look, Opened>;

  constructor(
    readonly home: LocalLockHome<LocalLatch>,
    readonly target: CounterTarget,
  ) {
    const { context } = home;
    this.context = context;
    this.#loop = new AcquireLoop<Look, Opened>(context, this, this, {
      channel: target.channel,
      longestSleep: context.settings.watchdogTimeout,
      wakes: () => true,
    });
  }

  get knownWaiters(): LocalWaiters<void> {
    return this.waiters;
  }

  get isWaitedFor(): boolean {
    return this.waiters.first !== undefined;
  }

  next(): Look | undefined {
    return this.isWaitedFor ? { at: now() } : undefined;
  }

  request({ at }: Look, conclude: (news: AttemptOutcome<Opened>) => void): void {
    void this.context.counters.latch.count(this.target.key).then(
      (count) =>
        conclude(count === 0 ? { kind: 'granted', at } : { kind: 'busy', ttl: Infinity, holder: '' }),
      (error: unknown) => conclude(RedisFailure.from(error)),
    );
  }

  /** A check leaves no state behind. */
  abandon(): void {}

  /** A caller that came after the check was sent may have come after the latch was closed again. */
  granted({ at }: Opened): void {
    const { queue } = this.waiters;
    this.waiters.wasGranted();
    for (const waiter of queue.snapshot()) {
      if (waiter.since > at) continue;
      queue.remove(waiter);
      waiter.grant();
    }
    if (!this.isWaitedFor) this.#loop.stopListening();
  }

  notGranted(news: Busy | RedisFailure): void {
    this.waiters.notGranted(news);
  }

  begin(): void {
    this.waiters.begin();
  }

  end(): void {
    this.waiters.end();
  }

  onEnter(waiter: Waiter<void>): void {
    if (this.waiters.isReasonToAsk(waiter)) this.#loop.wake();
  }

  onLeave(): void {
    if (!this.isWaitedFor) this.#loop.stopListening();
  }

  onIdle(): void {
    this.home.forget(this);
  }
}
