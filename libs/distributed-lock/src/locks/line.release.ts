import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Lease } from '../renewal/lease.js';
import type { Busy } from '../scripts/reentrant.scripts.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import type { RawGrant } from './attempt.js';
import type { Lowering } from './count.ledger.js';
import { unavailable, type LockContext } from './lock.context.js';
import type { LockNames } from './lock.names.js';
import { askInTime } from './timely.answer.js';

/** A hand-over in Redis: what became of the giver, and what the taker has. */
export interface Passed {
  readonly outcome: Promise<UnlockOutcome>;
  /** Undefined when there was no answer. */
  readonly news: RawGrant | Busy | undefined;
}

/** A release in Redis, and whether other processes heard of it. */
export interface Freed {
  readonly outcome: Promise<UnlockOutcome>;
  readonly others: boolean;
}

/** Lets go of a lock in Redis, for good or in favour of the next one of this process. */
export class LineRelease {
  constructor(
    private readonly context: LockContext,
    private readonly names: LockNames,
  ) {}

  /** Hands the lock to a new holder id in one round trip, ownership checked in Redis. */
  async pass(from: Lease, leaseTime: number | undefined): Promise<Passed> {
    const { context, names } = this;
    const to = context.ids.next();
    const ttl = leaseTime ?? context.settings.watchdogTimeout;
    try {
      const { reply, sent, first } = await askInTime(ttl, () =>
        context.kind.transfer(names.key, from.holder, to, ttl),
      );
      const outcome = Promise.resolve<UnlockOutcome>(first.kind === 'transferred' ? 'released' : 'lost');
      if (reply.kind === 'busy') return { outcome, news: reply };
      return { outcome, news: { kind: 'granted', holder: to, leaseTime, sent } };
    } catch (error) {
      const failure = RedisFailure.from(error);
      void context.retirement.retire({ names, holder: to, lease: ttl, failure });
      return { outcome: this.#freeLater(from, failure), news: undefined };
    }
  }

  /** Frees the lock, by `finish` where a run ends with it. */
  async free(lease: Lease, finish: Lowering | undefined): Promise<Freed> {
    const { context, names } = this;
    const ours = context.subscriptions.isActive(names.channel) ? 1 : 0;
    try {
      const reply = await (finish?.(0, 1) ??
        context.kind.release(names.key, lease.holder, 0, 1, names.channel));
      if (reply.kind !== 'released') return { outcome: Promise.resolve('lost'), others: false };
      if (reply.reached === -1) context.notices.post({ kind: 'unpublished', lock: names.name });
      return { outcome: Promise.resolve('released'), others: !context.countsFleet || reply.reached > ours };
    } catch (error) {
      return { outcome: this.#freeLater(lease, RedisFailure.from(error)), others: false };
    }
  }

  /** The release goes on in the background, unless Redis refused it; its caller waits no longer than for any round trip. */
  async #freeLater(lease: Lease, failure: RedisFailure): Promise<UnlockOutcome> {
    const { names, context } = this;
    if (!failure.passing) {
      context.notices.post({
        kind: 'release-refused',
        lock: names.name,
        holder: lease.holder,
        why: failure.message,
      });
      throw unavailable(names.name, failure);
    }
    const retired = context.retirement.retire({ names, holder: lease.holder, lease: lease.longest, failure });
    let timer: Timer | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = context.wheel.after(context.settings.commandTimeout, () => resolve('late'));
    });
    const outcome = await Promise.race([retired, late]);
    context.wheel.cancel(timer);
    if (outcome === 'late' || outcome === 'unanswered') {
      context.notices.post({
        kind: 'release-delayed',
        lock: names.name,
        holder: lease.holder,
        why: failure.message,
      });
      throw unavailable(names.name, failure);
    }
    // The field was gone at the second time of asking: by our first one, as long as nobody else can have taken it.
    return outcome === 'released' || now() < lease.deadline ? 'released' : 'lost';
  }
}
