import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import { ChannelWakeSource } from '../acquire/channel.wake.source.js';
import type { Attempt, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { LocalCounter } from './local.counter.js';

/** A check of the latch. */
interface LatchCheck {
  /** The monotonic instant at which the check was sent. */
  readonly at: number;
}

/** A check that found the latch open. */
interface OpenLatch extends LatchCheck {
  readonly kind: 'granted';
}

/** A latch as this process sees it: one check that finds it open resolves all waiters of this process. */
export class LocalLatch
  extends LocalCounter<LatchCheck, OpenLatch>
  implements Attempt<LatchCheck, OpenLatch>
{
  protected readonly loop: AcquireLoop<LatchCheck, OpenLatch>;

  constructor(registry: LocalLockOwner<LocalLatch>, target: CounterTarget) {
    super(registry, target);
    const { context } = registry;
    const source = new ChannelWakeSource(context, {
      name: target.channel,
      longestSleep: context.settings.watchdogTimeout,
      wakes: () => true,
    });
    this.loop = new AcquireLoop<LatchCheck, OpenLatch>(context, this, this, source);
  }

  next(): LatchCheck | undefined {
    return this.hasWaiters ? { at: now() } : undefined;
  }

  request({ at }: LatchCheck, conclude: (outcome: AttemptOutcome<OpenLatch>) => void): void {
    void this.registry.context.counters.latch.count(this.target.key).then(
      (count) =>
        conclude(count === 0 ? { kind: 'granted', at } : { kind: 'busy', ttl: Infinity, holder: '' }),
      (error: unknown) => conclude(RedisFailure.from(error)),
    );
  }

  protected wakeLoop(): void {
    this.loop.wake();
  }

  /** A check leaves no state behind. */
  undo(): void {}

  /** A caller that came after the check was sent may have come after the latch was closed again. */
  granted({ at }: OpenLatch): void {
    const { queue } = this.waiters;
    this.waiters.wasGranted();
    for (const waiter of queue.snapshot()) {
      if (waiter.since > at) continue;
      queue.remove(waiter);
      waiter.resolve();
    }
    this.stopIfUnneeded();
  }
}
