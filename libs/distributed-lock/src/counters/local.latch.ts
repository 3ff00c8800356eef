import { RedisFailure } from '../redis/redis.failure.js';
import { now } from '../timing/monotonic.clock.js';
import { AcquireLoop } from '../acquire/acquire.loop.js';
import type { AttemptPort, AttemptOutcome } from '../acquire/acquire.contract.js';
import type { CounterTarget } from '../core/counter.target.js';
import type { LocalLockHome } from '../local/local.locks.js';
import { LocalCounter } from './local.counter.js';

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
export class LocalLatch extends LocalCounter<Look, Opened> implements AttemptPort<Look, Opened> {
  protected readonly loop: AcquireLoop<Look, Opened>;

  constructor(home: LocalLockHome<LocalLatch>, target: CounterTarget) {
    super(home, target);
    const { context } = home;
    this.loop = new AcquireLoop<Look, Opened>(context, this, this, {
      channel: target.channel,
      longestSleep: context.settings.watchdogTimeout,
      wakes: () => true,
    });
  }

  next(): Look | undefined {
    return this.isWaitedFor ? { at: now() } : undefined;
  }

  request({ at }: Look, conclude: (outcome: AttemptOutcome<Opened>) => void): void {
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
    this.stopIfUnneeded();
  }
}
