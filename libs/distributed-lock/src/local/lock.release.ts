import type { UnlockOutcome } from '../contracts/lock.contract.js';
import { forCaller } from '../errors/caller.stack.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { instant, type Instant, type Lease } from '../renewal/lease.js';
import type { Busy, LockScripts, ReleaseReply } from '../replies/lock.replies.js';
import type { LateAnswer, ReplyCallback } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import type { AcquireResult } from '../acquire/acquire.contract.js';
import type { ReleaseScript } from '../holds/hold.count.js';
import type { LockContext } from '../core/lock.context.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LockTarget } from '../core/lock.target.js';
import type { BackgroundOutcome } from '../core/background.release.js';
import { acquireFresh } from '../acquire/late.grant.js';

/** The result of a hand-off in Redis, for the old holder and for the new one. */
export interface HandoffResult {
  /** For the old holder. */
  readonly outcome: UnlockOutcome | Promise<UnlockOutcome>;
  /** For the new holder; undefined without a reply. */
  readonly result: AcquireResult | Busy | undefined;
}

/** The holder id of this process that a release made the holder, with a lease of the watchdog that is counted from `sent`. */
export interface Handoff {
  readonly holder: string;
  readonly sent: Instant;
}

/** A release in Redis, and how many other processes were notified of it, as far as is known. */
export interface ReleaseResult {
  readonly outcome: UnlockOutcome | Promise<UnlockOutcome>;
  readonly otherProcesses: number;
  /** How many listeners its channel has in this process. */
  readonly listeners: number;
  /** Settles when no command of this release is still to be sent. */
  readonly settled: Promise<unknown>;
  readonly handoff?: Handoff | undefined;
  /** Where processes wait in a queue: the place that was notified of its turn, empty for none. */
  readonly called?: string | undefined;
  /** The same, of an answer that comes after `commandTimeout`. */
  readonly lateHandoff?: Promise<Handoff | undefined> | undefined;
}

/** Nothing is left to be sent. */
const DONE = Promise.resolve();

function canTransfer(scripts: LockScripts): scripts is LockScripts & Required<Pick<LockScripts, 'transfer'>> {
  return scripts.transfer !== undefined;
}

/** Lets go of a lock in Redis, once: for good, or in favour of the next one of this process. */
export class LockRelease implements ReplyCallback<ReleaseReply> {
  sentAt = 0;
  readonly #channel: string;
  /** Whether this process listens to the channel, and so is one of those that a release reaches. */
  #isListening = false;
  /** Of a release that may make a waiter of this process the holder: its lease is counted from then. */
  #sent: Instant | undefined;
  #conclude!: (freed: ReleaseResult) => void;

  constructor(
    private readonly context: Pick<
      LockContext,
      | 'backgroundRelease'
      | 'countsAllReceivers'
      | 'isCluster'
      | 'notices'
      | 'settings'
      | 'subscriptions'
      | 'wheel'
    >,
    private readonly target: LockTarget,
    private readonly lease: Lease,
  ) {
    this.#channel = target.channel;
  }

  /** Whether this kind of lock can be handed off in Redis. */
  get canHandOff(): boolean {
    return canTransfer(this.target.kind.scripts);
  }

  /** Hands the lock to a new holder id in one round trip, ownership checked in Redis. Rejects only where it {@link canTransfer} not. */
  async handOff(leaseTime: number | undefined): Promise<HandoffResult> {
    const { context, target, lease } = this;
    const { scripts } = target.kind;
    if (!canTransfer(scripts)) throw new TypeError(`a ${target.kind.name} is not handed off`);
    const to = target.kind.holderIds.next();
    const ttl = leaseTime ?? context.settings.watchdogTimeout;
    try {
      const command = { key: target.key, from: lease.holder, to, lease: ttl, channel: this.#channel };
      const { reply, sent, first } = await acquireFresh(ttl, () => scripts.transfer(command));
      const outcome = first.kind === 'transferred' ? 'released' : 'lost';
      if (reply.kind === 'busy') return { outcome, result: reply };
      return {
        outcome,
        result: { kind: 'granted', holder: to, leaseTime, sent, at: now(), token: reply.token },
      };
    } catch (error) {
      const failure = RedisFailure.from(error);
      void context.backgroundRelease.release({ target, holder: to, lease: ttl, failure });
      return { outcome: this.#freeLater(failure).outcome, result: undefined };
    }
  }

  /**
   * Frees the lock.
   * @param releaseScript frees it instead of the lock's own release
   * @param at the monotonic clock, read a moment ago
   * @param conclude is called once, as soon as the result is known. {@link ReleaseResult.outcome} may reject
   * @param pairedLease the lease that a write hold of the same holder id needs yet, in ms, where that is known
   */
  free<T>(
    releaseScript: ReleaseScript | undefined,
    at: number,
    conclude: (freed: ReleaseResult) => T | Promise<T>,
    pairedLease?: number,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.sentAt = at;
      this.#conclude = (freed) => {
        try {
          resolve(conclude(freed));
        } catch (error) {
          reject(error);
        }
      };
      try {
        this.#send(releaseScript, pairedLease);
      } catch (error) {
        this.failed(error);
      }
    });
  }

  answered(reply: ReleaseReply): void {
    const { subscriptions } = this.context;
    const listeners = subscriptions.listeners(this.#channel);
    if (reply.kind !== 'released')
      return this.#conclude({ outcome: 'lost', otherProcesses: 0, listeners, settled: DONE });
    this.#conclude({
      outcome: 'released',
      otherProcesses: this.#otherProcesses(reply),
      called: reply.called,
      listeners,
      settled: DONE,
      handoff: reply.next === undefined ? undefined : this.#handoffTo(reply.next),
    });
  }

  failed(error: unknown, late?: LateAnswer<ReleaseReply>): void {
    const listeners = this.context.subscriptions.listeners(this.#channel);
    const lateHandoff = late?.then((answer) => {
      const holder = 'reply' in answer && answer.reply.kind === 'released' ? answer.reply.next : undefined;
      return holder === undefined ? undefined : this.#handoffTo(holder);
    });
    const freed = this.#freeLater(RedisFailure.from(error), late);
    this.#conclude({ ...freed, otherProcesses: 0, listeners, lateHandoff });
  }

  #handoffTo(holder: string): Handoff | undefined {
    return this.#sent === undefined ? undefined : { holder, sent: this.#sent };
  }

  #send(releaseScript: ReleaseScript | undefined, pairedLease: number | undefined): void {
    const { kind, key } = this.target;
    const channel = this.#channel;
    const { subscriptions, settings } = this.context;
    this.#isListening = subscriptions.isActive(channel);
    const handoffLease = kind.handoffLease === undefined ? undefined : settings.watchdogTimeout;
    if (handoffLease !== undefined) this.#sent = instant(this.sentAt);
    const { holder } = this.lease;
    if (releaseScript === undefined)
      kind.scripts.release({ key, holder, count: 0, lease: 1, channel, handoffLease, pairedLease }, this);
    else
      void releaseScript(0, 1).then(
        (reply) => this.answered(reply),
        (error: unknown) => this.failed(error),
      );
  }

  /** How many other processes received a release, or one of its kind. */
  #otherProcesses({ reached, called }: Extract<ReleaseReply, { readonly kind: 'released' }>): number {
    const { context, target } = this;
    const { publishesRelease } = target.kind;
    if (reached === -1 && publishesRelease)
      context.notices.post({ kind: 'unpublished', lock: target.name, channel: this.#channel });
    if (called !== undefined) return Math.max(reached, called === '' ? 0 : 1);
    // Without pub/sub nothing is counted: another process has to be assumed.
    const isCountKnown = publishesRelease && (!context.isCluster || context.countsAllReceivers);
    return isCountKnown ? Math.max(reached - (this.#isListening ? 1 : 0), 0) : 1;
  }

  /** The release goes on in the background, unless Redis refused it. */
  #freeLater(
    failure: RedisFailure,
    late?: LateAnswer<ReleaseReply>,
  ): Pick<ReleaseResult, 'outcome' | 'settled'> {
    const { target, context } = this;
    const { holder, longestTtl } = this.lease;
    if (!failure.isTransient) {
      context.notices.post({ kind: 'release-refused', lock: target.name, holder, why: failure.message });
      const outcome = forCaller<UnlockOutcome>(() => {
        throw unavailable(target.name, failure);
      });
      return { outcome, settled: DONE };
    }
    const done = context.backgroundRelease.release({ target, holder, lease: longestTtl, failure, late });
    return { outcome: this.#outcomeInTime(failure, done, late), settled: done };
  }

  /** Its caller waits no longer than for any round trip. */
  async #outcomeInTime(
    failure: RedisFailure,
    backgroundOutcome: Promise<BackgroundOutcome>,
    late: LateAnswer<ReleaseReply> | undefined,
  ): Promise<UnlockOutcome> {
    const { target, context, lease } = this;
    const outcome = await context.wheel.within(context.settings.commandTimeout, backgroundOutcome);
    if (outcome === undefined || outcome === 'unconfirmed') {
      const { holder } = lease;
      context.notices.post({ kind: 'release-delayed', lock: target.name, holder, why: failure.message });
      throw unavailable(target.name, failure);
    }
    if (outcome === 'released') return outcome;
    // A repeated release found nothing: the first one succeeded, unless the lease was over, or the first one itself found nothing.
    const first = await late;
    const wasGone = first !== undefined && 'reply' in first;
    return !wasGone && now() < lease.deadline ? 'released' : 'lost';
  }
}
