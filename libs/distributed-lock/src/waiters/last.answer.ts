import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Notice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import type { Hold } from '../holds/hold.js';
import { unavailable } from '../core/unavailable.errors.js';

/** A caller that waits. */
interface WaitSoFar {
  /** The monotonic instant at which it began. */
  readonly since: number;
  readonly waited: number;
}

/** A caller that may have no bound. */
interface UnboundedWait {
  readonly request: { readonly waitTime: number };
  readonly since: number;
}

/**
 * How many grants may fail for lack of replicas before a caller without a time limit gets an error: one and four retries, as in Redisson
 * (wire format section 11). A replica that lags has caught up by then; for one that is gone the caller would wait for ever.
 */
export const NOT_REPLICATED_LIMIT = 5;

/** How old an answer may be that explains a refusal, in ms. */
const FRESH_FOR = 1000;

/** The last answer of Redis for a lock: it explains to a waiter why its time ran out. */
export class LastAnswer {
  #last: Busy | RedisFailure | undefined;
  #answeredAt = -Infinity;
  #changedHandsAt = -Infinity;
  /** When this process last learned of a forced unlock, on the monotonic clock. */
  #forcedAt = -Infinity;
  /** When the last grants did not count since too few replicas had them. */
  #notReplicated: number[] = [];

  constructor(private readonly lock: string) {}

  record(outcome: Busy | RedisFailure): void {
    this.#last = outcome;
    this.#answeredAt = now();
    if (outcome instanceof RedisFailure && outcome.isNotReplicated)
      this.#notReplicated = [...this.#notReplicated, this.#answeredAt].slice(-NOT_REPLICATED_LIMIT);
  }

  /** Why a waiter without a bound has waited long enough: its lock was granted again and again, and too few replicas had it. */
  replicationError({ request, since }: UnboundedWait): Error | undefined {
    const [first = -Infinity] = this.#notReplicated;
    const isEnough = this.#notReplicated.length === NOT_REPLICATED_LIMIT && first >= since;
    if (request.waitTime !== Infinity || !isEnough) return undefined;
    return unavailable(this.lock, this.#last);
  }

  /** A caller of this process got the lock: the last answer is outdated, and the other waiters know of a holder. */
  granted(): void {
    this.#last = undefined;
    this.#changedHandsAt = now();
  }

  /** This process let go of the lock, or lost it. @param at the monotonic clock */
  freed(at = now()): void {
    this.#changedHandsAt = at;
  }

  /** The lock was unlocked by force. */
  forced(): void {
    this.#forcedAt = now();
  }

  /** Whether a forced unlock may have freed what a request that was sent at that instant was granted. */
  wasForcedAfter(sentAt: number): boolean {
    return sentAt <= this.#forcedAt;
  }

  /** Whether the last answer is too old for a new waiter. */
  get isStale(): boolean {
    return this.#last !== undefined && now() - this.#answeredAt > FRESH_FOR;
  }

  /** The holder, as far as this process knows: its own hold, or the last answer of Redis. */
  heldBy(hold: Hold | undefined): HeldBy {
    if (hold !== undefined) return { holder: hold.lease.holder, since: hold.since };
    return this.#last === undefined || this.#last instanceof RedisFailure
      ? {}
      : { holder: this.#last.holder || undefined };
  }

  /** Whether, within the waiter's own time, another holder was seen or Redis failed. @param isExclusive whether a grant to another caller counts as such */
  hasAnswer({ since }: WaitSoFar, hold: Hold | undefined, isExclusive: boolean): boolean {
    if (hold !== undefined || (isExclusive && this.#changedHandsAt >= since)) return true;
    if (this.#last === undefined) return false;
    return this.#answeredAt >= (this.#last instanceof RedisFailure ? since : since - FRESH_FOR);
  }

  /** Why a waiter got nothing. "Not acquired" needs a known holder; otherwise Redis was unavailable. */
  timeUp({ since, waited }: WaitSoFar, hold: Hold | undefined): Error {
    const last = this.#answeredAt >= since - FRESH_FOR ? this.#last : undefined;
    const wasHeld = last === undefined && this.#changedHandsAt >= since;
    if (hold === undefined && !wasHeld && (last === undefined || last instanceof RedisFailure)) {
      return unavailable(
        this.lock,
        last ?? new RedisFailure('unsent', `no answer within ${Math.round(waited)} ms`),
      );
    }
    return new LockNotAcquiredError(this.lock, waited, this.heldBy(hold));
  }

  longWait({ waited }: WaitSoFar, hold: Hold | undefined): Notice {
    const { holder: heldBy = 'another holder' } = this.heldBy(hold);
    return { kind: 'long-wait', lock: this.lock, waited, heldBy };
  }
}
