import { LockNotAcquiredError, type HeldBy } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import type { Notice } from '../events/notice.board.js';
import { now } from '../timing/monotonic.clock.js';
import type { Hold } from '../holds/hold.js';
import { unavailable } from '../core/lock.context.js';

/** A caller that waits, as far as its news go. */
interface Waiting {
  /** The monotonic instant at which it began. */
  readonly since: number;
  readonly waited: number;
}

/** A caller that may have no bound. */
interface Endless {
  readonly request: { readonly waitTime: number };
  readonly since: number;
}

/**
 * How often a lock is granted in vain before a caller without a bound is told: once, and four times more, as Redisson has it (wire format
 * section 11). A replica that only lags has caught up by then, and who waits for one that is gone would wait for ever, and hear nothing.
 */
export const SHORTFALLS = 5;

/** How old news may be that a waiter is told, in ms. */
const FRESH = 1000;

/** What a line last heard of its lock: a waiter whose time is over is told by it. */
export class LastAnswer {
  #last: Busy | RedisFailure | undefined;
  #answeredAt = -Infinity;
  #passedAt = -Infinity;
  /** When this process last heard that the lock was unlocked by force, on the monotonic clock. */
  #forcedAt = -Infinity;
  /** When the last grants did not count since too few replicas had them. */
  #notReplicated: number[] = [];

  constructor(private readonly lock: string) {}

  record(news: Busy | RedisFailure): void {
    this.#last = news;
    this.#answeredAt = now();
    if (news instanceof RedisFailure && news.isNotReplicated)
      this.#notReplicated = [...this.#notReplicated, this.#answeredAt].slice(-SHORTFALLS);
  }

  /** Why a waiter without a bound has waited long enough: its lock was granted again and again, and too few replicas had it. */
  endless({ request, since }: Endless): Error | undefined {
    const [first = -Infinity] = this.#notReplicated;
    const isEnough = this.#notReplicated.length === SHORTFALLS && first >= since;
    if (request.waitTime !== Infinity || !isEnough) return undefined;
    return unavailable(this.lock, this.#last);
  }

  /** A caller of this process got it: what was heard is over, and whoever waits on has been passed by. */
  granted(): void {
    this.#last = undefined;
    this.#passedAt = now();
  }

  /** This process let go of the lock, or lost it. @param at the monotonic clock */
  freed(at = now()): void {
    this.#passedAt = at;
  }

  /** The lock was unlocked by force, whoever had it. */
  forced(): void {
    this.#forcedAt = now();
  }

  /** Whether a forced unlock may have freed what was granted to a question of that instant. */
  wasForcedAfter(sentAt: number): boolean {
    return sentAt <= this.#forcedAt;
  }

  /** Whether a waiter that comes now would have to rely on what was heard long ago. */
  get isStale(): boolean {
    return this.#last !== undefined && now() - this.#answeredAt > FRESH;
  }

  /** Who has the lock, as far as this process knows: its own hold, or what Redis said. */
  heldBy(hold: Hold | undefined): HeldBy {
    if (hold !== undefined) return { holder: hold.lease.holder, since: hold.since };
    return this.#last === undefined || this.#last instanceof RedisFailure
      ? {}
      : { holder: this.#last.holder || undefined };
  }

  /** Whether it is known of a waiter's own time that somebody else has the lock, or that Redis cannot be asked. @param excludes whether a grant to another one says so */
  hasAnswer({ since }: Waiting, hold: Hold | undefined, excludes: boolean): boolean {
    if (hold !== undefined || (excludes && this.#passedAt >= since)) return true;
    if (this.#last === undefined) return false;
    return this.#answeredAt >= (this.#last instanceof RedisFailure ? since : since - FRESH);
  }

  /** Why a waiter got nothing. "Somebody else has it" is said only when somebody has said so. */
  timeUp({ since, waited }: Waiting, hold: Hold | undefined): Error {
    const last = this.#answeredAt >= since - FRESH ? this.#last : undefined;
    const wasHeld = last === undefined && this.#passedAt >= since;
    if (hold === undefined && !wasHeld && (last === undefined || last instanceof RedisFailure)) {
      return unavailable(
        this.lock,
        last ?? new RedisFailure('unsent', `no answer within ${Math.round(waited)} ms`),
      );
    }
    return new LockNotAcquiredError(this.lock, waited, this.heldBy(hold));
  }

  longWait({ waited }: Waiting, hold: Hold | undefined): Notice {
    const { holder: heldBy = 'somebody' } = this.heldBy(hold);
    return { kind: 'long-wait', lock: this.lock, waited, heldBy };
  }
}
