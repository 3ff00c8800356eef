import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Instant, type Lease } from '../renewal/lease.js';
import type { Busy, LockScripts } from '../scripts/lock.replies.js';
import { now } from '../timing/monotonic.clock.js';
import type { RawGrant } from './contest.contract.js';
import type { Lowering } from './count.ledger.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockTarget } from './lock.target.js';
import type { Retired } from './retirement.js';
import { askInTime } from './timely.answer.js';

/** A hand-over in Redis: what became of the giver, and what the taker has. */
export interface Passed {
  readonly outcome: UnlockOutcome | Promise<UnlockOutcome>;
  /** Undefined when there was no answer. */
  readonly news: RawGrant | Busy | undefined;
}

/** A release in Redis, and how many other processes heard of it, as far as is known. */
export interface Freed {
  readonly outcome: UnlockOutcome | Promise<UnlockOutcome>;
  readonly others: number;
  /** How many of this process hear its channel. */
  readonly listeners: number;
  /** Settles when nothing of it is left to be sent. */
  readonly done: Promise<unknown>;
  /** The holder id of this process that has it now, with the lease of the watchdog, and when that was asked for. */
  readonly handed?: { readonly holder: string; readonly sent: Instant } | undefined;
}

/** Nothing is left to be sent. */
const DONE = Promise.resolve();

function canPass(scripts: LockScripts): scripts is LockScripts & Required<Pick<LockScripts, 'transfer'>> {
  return scripts.transfer !== undefined;
}

/** Lets go of a lock in Redis, for good or in favour of the next one of this process. */
export class LineRelease {
  constructor(
    private readonly context: LockContext,
    private readonly target: LockTarget,
  ) {}

  /** Whether this kind of lock can be handed over in Redis. */
  get canPass(): boolean {
    return canPass(this.target.kind.scripts);
  }

  /** Hands the lock to a new holder id in one round trip, ownership checked in Redis. Rejects only where it {@link canPass} not. */
  async pass(from: Lease, leaseTime: number | undefined): Promise<Passed> {
    const { context, target } = this;
    const { scripts } = target.kind;
    if (!canPass(scripts)) throw new TypeError(`a ${target.kind.name} is not handed over`);
    const to = context.ids.next();
    const ttl = leaseTime ?? context.settings.watchdogTimeout;
    try {
      const { reply, sent, first } = await askInTime(ttl, () =>
        scripts.transfer(target.key, from.holder, to, ttl),
      );
      const outcome = first.kind === 'transferred' ? 'released' : 'lost';
      if (reply.kind === 'busy') return { outcome, news: reply };
      return {
        outcome,
        news: { kind: 'granted', holder: to, leaseTime, sent, at: now(), token: reply.token },
      };
    } catch (error) {
      const failure = RedisFailure.from(error);
      void context.retirement.retire({ target, holder: to, lease: ttl, failure });
      return { outcome: this.#freeLater(from, failure).outcome, news: undefined };
    }
  }

  /**
   * Frees the lock, by `finish` where a run ends with it.
   * @param conclude goes on when what came of it is known, and never without: {@link Freed.outcome} may reject
   */
  free<T>(
    lease: Lease,
    finish: Lowering | undefined,
    conclude: (freed: Freed) => T | Promise<T>,
  ): Promise<T> {
    const { kind, key, channel } = this.target;
    const { subscriptions, settings } = this.context;
    const ours = subscriptions.isActive(channel) ? 1 : 0;
    const nextLease = kind.giftLease === undefined ? undefined : settings.watchdogTimeout;
    const sent = nextLease === undefined ? undefined : instant();
    const asked = finish?.(0, 1) ?? kind.scripts.release(key, lease.holder, 0, 1, channel, nextLease);
    return asked.then(
      (reply) => {
        const listeners = subscriptions.listeners(channel);
        return reply.kind === 'released'
          ? conclude({
              outcome: 'released',
              others: this.#others(reply.reached, ours),
              listeners,
              done: DONE,
              handed:
                reply.next === undefined || sent === undefined ? undefined : { holder: reply.next, sent },
            })
          : conclude({ outcome: 'lost', others: 0, listeners, done: DONE });
      },
      (error: unknown) => {
        const listeners = subscriptions.listeners(channel);
        return conclude({ ...this.#freeLater(lease, RedisFailure.from(error)), others: 0, listeners });
      },
    );
  }

  /** How many other processes heard a release that reached so many clients, `ours` among them. */
  #others(reached: number, ours: number): number {
    const { context, target } = this;
    const { isTold } = target.kind;
    if (reached === -1 && isTold)
      context.notices.post({ kind: 'unpublished', lock: target.name, channel: target.channel });
    // Where nobody may listen nobody is counted: another one has to be supposed.
    return context.countsFleet && isTold ? Math.max(reached - ours, 0) : 1;
  }

  /** The release goes on in the background, unless Redis refused it. */
  #freeLater(lease: Lease, failure: RedisFailure): Omit<Freed, 'others' | 'listeners'> {
    const { target, context } = this;
    const { holder, longest } = lease;
    if (!failure.passing) {
      context.notices.post({ kind: 'release-refused', lock: target.name, holder, why: failure.message });
      return { outcome: Promise.reject(unavailable(target.name, failure)), done: DONE };
    }
    const done = context.retirement.retire({ target, holder, lease: longest, failure });
    return { outcome: this.#inTime(lease, failure, done), done };
  }

  /** Its caller waits no longer than for any round trip. */
  async #inTime(lease: Lease, failure: RedisFailure, retired: Promise<Retired>): Promise<UnlockOutcome> {
    const { target, context } = this;
    const outcome = await context.wheel.within(context.settings.commandTimeout, retired);
    if (outcome === undefined || outcome === 'unanswered') {
      const { holder } = lease;
      context.notices.post({ kind: 'release-delayed', lock: target.name, holder, why: failure.message });
      throw unavailable(target.name, failure);
    }
    // The field was gone at the second time of asking: by our first one, as long as nobody else can have taken it.
    return outcome === 'released' || now() < lease.deadline ? 'released' : 'lost';
  }
}
