import { RedisFailure } from '../redis/redis.failure.js';
import type { Instant } from '../renewal/lease.js';
import type { Busy } from '../scripts/reentrant.scripts.js';
import type { LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';
import { askInTime } from './timely.answer.js';

/** A grant as it comes from Redis. */
export interface RawGrant {
  readonly kind: 'granted';
  readonly holder: string;
  /** The fixed lease that was asked for, in ms; undefined for a watchdog lease. */
  readonly leaseTime: number | undefined;
  readonly sent: Instant;
}

/**
 * Asks Redis for a free lock. An attempt whose answer got lost is made again under the same holder id, which is safe to
 * repeat; when it is given up, or answered with "busy", the id is freed, so that a late grant leaves nothing behind.
 */
export class Attempt {
  #holder: string;
  #doubt: RedisFailure | undefined;
  #lease = 0;

  constructor(
    private readonly context: LockContext,
    private readonly names: LockNames,
  ) {
    this.#holder = context.ids.next();
  }

  async make(leaseTime: number | undefined): Promise<RawGrant | Busy | RedisFailure> {
    const lease = leaseTime ?? this.context.settings.watchdogTimeout;
    // Under a shorter lease the id would keep the longer one that a lost answer may have given it.
    if (lease !== this.#lease) this.abandon();
    const holder = this.#holder;
    this.#lease = lease;
    try {
      const ask = () => this.context.kind.acquire(this.names.key, holder, lease, 1);
      const { reply, sent } = await askInTime(lease, ask);
      if (reply.kind === 'granted') {
        this.#holder = this.context.ids.next();
        this.#doubt = undefined;
        return { kind: 'granted', holder, leaseTime, sent };
      }
      this.abandon();
      return reply.kind === 'busy'
        ? reply
        : new RedisFailure('refused', 'a first acquisition cannot have been lost');
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.kind === 'ambiguous') this.#doubt = failure;
      return failure;
    }
  }

  /** Sees to it that nothing of an attempt without an answer is left. */
  abandon(): void {
    if (this.#doubt === undefined) return;
    void this.context.retirement.retire({
      names: this.names,
      holder: this.#holder,
      lease: this.#lease,
      failure: this.#doubt,
    });
    this.#doubt = undefined;
    this.#holder = this.context.ids.next();
  }
}
