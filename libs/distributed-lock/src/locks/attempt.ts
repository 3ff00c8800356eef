import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Instant } from '../renewal/lease.js';
import type { Busy } from '../scripts/lock.replies.js';
import { tellsOfGift } from '../scripts/lock.messages.js';
import { promised } from '../scripts/reply.hearer.js';
import { now } from '../timing/monotonic.clock.js';
import type { LockContext } from './lock.context.js';
import type { LockTarget } from './lock.target.js';
import { askAgain, isUseful } from './timely.answer.js';

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
  #isGiven = false;
  /** When the release was sent that has handed it the lock. */
  #handed: Instant | undefined;

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
    const handed = this.#takeOver(holder, lease);
    if (handed !== undefined) return handed;
    const given = this.#isGiven ? await this.#confirm(holder, lease) : undefined;
    if (given !== undefined) return given;
    this.#lease = lease;
    this.#marked ||= marksWaiters && waitTime > 0;
    try {
      const gift = this.#giftLease(leaseTime, waitTime);
      const ask = () => scripts.acquire(this.target.key, holder, lease, 1, this.#declared(waitTime), gift);
      // As askInTime does, and without its promise: this is what every lock waits for.
      let sent = instant();
      let reply = await ask();
      if (!isUseful(reply, sent, lease)) ({ reply, sent } = await askAgain(lease, ask, reply));
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
    // Where nothing is given, such as permits, a number means something else.
    this.#isGiven ||= this.target.kind.giftLease !== undefined && tellsOfGift(payload);
  }

  /** A release of this process has made it the holder, with its whole lease. @param sent when that was asked for */
  handed(sent: Instant): void {
    this.#handed = sent;
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
    this.#isGiven = false;
    this.#handed = undefined;
  }

  /** What it was handed; a lease that is half over is asked for anew, as any is that was so long on its way. */
  #takeOver(holder: string, lease: number): RawGrant | undefined {
    const sent = this.#handed;
    if (sent === undefined) return undefined;
    this.#handed = undefined;
    if (now() - sent.at > lease / 2) return undefined;
    this.#renew();
    return { kind: 'granted', holder, leaseTime: undefined, sent };
  }

  /**
   * A release has made it the holder, for a short time: so a message said, which may be late by any time. The lease that counts is
   * the one that Redis gives now. Without one it asks as ever: then it is granted what it has, or told who is in the way.
   */
  async #confirm(holder: string, lease: number): Promise<RawGrant | undefined> {
    this.#isGiven = false;
    const { key, kind } = this.target;
    try {
      const sent = instant();
      const left = await promised<number | undefined>((hearer) =>
        kind.scripts.renew(key, holder, lease, hearer),
      );
      if (left === undefined || now() - sent.at > lease / 2) return undefined;
      this.#renew();
      return { kind: 'granted', holder, leaseTime: undefined, sent };
    } catch {
      return undefined;
    }
  }

  /** Only a lease that is renewed may be given: a fixed one begins when its holder has it. And a grant that replicas must have comes from its holder. */
  #giftLease(leaseTime: number | undefined, waitTime: number): number | undefined {
    const { watchdogTimeout, replication } = this.context.settings;
    const isTaken = leaseTime === undefined && waitTime > 0 && replication === undefined;
    const { giftLease = Infinity } = this.target.kind;
    // A lease that is not longer needs no short one before it.
    return isTaken && watchdogTimeout > giftLease ? giftLease : undefined;
  }

  /** The same on every attempt, as the queue's arithmetic needs it; the scripts cut it to what they take. */
  #declared(waitTime: number): number {
    return waitTime === Infinity ? this.context.settings.fairWaitTimeout : waitTime;
  }
}
