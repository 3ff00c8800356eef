import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import type { Waiter } from '../acquire/waiter.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { AttemptPort, AcquireHost, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockHome } from '../local/local.locks.js';
import { LocalWaiters } from '../local/local.waiters.js';

/** A check of the latch. */
interface Look {
  /** The monotonic instant at which the check was sent. */
  readonly at: number;
}

/** A check that found the latch open. */
interface Opened extends Look {
  readonly kind: 'granted';
}

/** The callers of this process that wait for one latch: one check that finds it open resolves all of them. */
export class LatchWaiters
  extends LocalWaiters<void>
  implements AcquireHost<Look, Opened>, AttemptPort<Look, Opened>
{
  readonly #loop: AcquireLoop<Look, Opened>;

  constructor(
    protected readonly home: LocalLockHome<LatchWaiters>,
    readonly target: CounterTarget,
  ) {
    super();
    const { context } = home;
    this.#loop = new AcquireLoop<Look, Opened>(context, this, this, {
      channel: target.channel,
      longestSleep: context.settings.watchdogTimeout,
      wakes: () => true,
    });
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
    this.wasGranted();
    for (const waiter of this.queue.snapshot()) {
      if (waiter.since > at) continue;
      this.queue.remove(waiter);
      waiter.grant();
    }
    if (!this.isWaitedFor) this.#loop.stopListening();
  }

  protected override get excludes(): boolean {
    return false;
  }

  protected onEnter(waiter: Waiter<void>): void {
    if (this.isReasonToAsk(waiter)) this.#loop.wake();
  }

  protected onLeave(): void {
    if (!this.isWaitedFor) this.#loop.stopListening();
  }

  protected forgetIfUnused(): void {
    if (this.isIdle) this.home.forget(this);
  }
}
