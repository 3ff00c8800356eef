import { RedisFailure } from '../redis/redis.failure.js';
import type { Instant } from '../renewal/lease.js';
import type { Busy, Gift } from '../scripts/lock.replies.js';
import { GiftDesk } from './gift.desk.js';
import type { LockContext } from './lock.context.js';
import type { LockTarget } from './lock.target.js';
import { askInTime } from './timely.answer.js';

/** What is asked for, in ms. */
export interface Wish {
  /** Undefined for a lease that the watchdog renews. */
  readonly leaseTime: number | undefined;
  /** How long the caller is ready to wait from its first attempt on; 0 asks once. */
  readonly waitTime: number;
}

/** A grant as it comes from Redis. */
export interface RawGrant {
  readonly kind: 'granted';
  readonly holder: string;
  /** The fixed lease that was asked for, in ms; undefined for a watchdog lease. */
  readonly leaseTime: number | undefined;
  readonly sent: Instant;
  /** The short lease that it has in Redis, in ms, where it was given by a release. */
  readonly gift?: number;
  readonly token?: bigint | undefined;
  /** How many more holders there is room for. */
  readonly room?: number | undefined;
}

/**
 * Asks Redis for a free lock. An attempt whose answer got lost is made again under the same holder id, which is safe to
 * repeat; when it is given up, or answered with "busy", the id is freed, so that a late grant leaves nothing behind.
 * Where waiters leave a mark in Redis, such as their place in a queue, the id is kept until the attempt is given up.
 */
export class Attempt {
  /** Made for the next attempt, if there is one. */
  #holder: string | undefined;
  #doubt: RedisFailure | undefined;
  #marked = false;
  #lease = 0;
  #gifts: GiftDesk | undefined;

  constructor(
    private readonly context: LockContext,
    private readonly target: LockTarget,
  ) {}

  /** The holder id under which the next attempt is made. */
  get holder(): string {
    return (this.#holder ??= this.target.kind.newHolder?.() ?? this.context.ids.next());
  }

  async make({ leaseTime, waitTime }: Wish): Promise<RawGrant | Busy | RedisFailure> {
    const { scripts, marksWaiters } = this.target.kind;
    const lease = leaseTime ?? this.context.settings.watchdogTimeout;
    // Under a shorter lease the id would keep the longer one that a lost answer may have given it.
    if (lease !== this.#lease) this.abandon();
    const { holder } = this;
    const given = this.#gifts?.take();
    if (given !== undefined) {
      this.#renew();
      return { kind: 'granted', holder, leaseTime, ...given };
    }
    this.#lease = lease;
    this.#marked ||= marksWaiters && waitTime > 0;
    try {
      const gift = this.#declareGift(leaseTime, waitTime);
      const ask = () => scripts.acquire(this.target.key, holder, lease, 1, this.#declared(waitTime), gift);
      const { reply, sent } = await askInTime(lease, ask);
      if (reply.kind === 'granted') {
        this.#renew();
        return { kind: 'granted', holder, leaseTime, sent, token: reply.token, room: reply.room };
      }
      if (!this.#marked) this.abandon();
      return reply.kind === 'busy'
        ? reply
        : new RedisFailure('refused', 'a first acquisition cannot have been lost');
    } catch (error) {
      const failure = RedisFailure.from(error);
      if (failure.kind === 'ambiguous') this.#doubt = failure;
      // What must not count must not be in the way of others either; but a place in a queue is worth more than that.
      if (failure.isShortfall && !this.#marked) this.abandon();
      return failure;
    }
  }

  /** A message to its holder id was heard. */
  told(payload: string): void {
    this.#gifts?.hear(payload);
  }

  /** Sees to it that nothing of an attempt is left: no late grant, no mark of a waiter. */
  abandon(): void {
    if (this.#doubt === undefined && !this.#marked) return;
    void this.context.retirement.retire({
      target: this.target,
      holder: this.holder,
      lease: this.#lease,
      failure: this.#doubt,
    });
    this.#renew();
  }

  #renew(): void {
    this.#doubt = undefined;
    this.#marked = false;
    this.#holder = undefined;
    this.#gifts = undefined;
  }

  /** Only a lease that is renewed may be given: a fixed one begins when its holder has it. And a grant that replicas must have comes from its holder. */
  #declareGift(leaseTime: number | undefined, waitTime: number): Gift | undefined {
    const { giftLease } = this.target.kind;
    const { watchdogTimeout, replication } = this.context.settings;
    if (giftLease === undefined || leaseTime !== undefined || waitTime === 0 || replication !== undefined)
      return undefined;
    // A lease that is not much longer is not worth a short one before it.
    if (watchdogTimeout < 2 * giftLease) return undefined;
    this.#gifts ??= new GiftDesk(giftLease);
    return this.#gifts.declare();
  }

  /** The same on every attempt, as the queue's arithmetic needs it; the scripts cut it to what they take. */
  #declared(waitTime: number): number {
    return waitTime === Infinity ? this.context.settings.fairWaitTimeout : waitTime;
  }
}
