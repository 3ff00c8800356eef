import { RedisFailure } from '../redis/redis.failure.js';
import { instant, isStale, type Instant } from '../renewal/lease.js';
import type { AcquireReply, ReleaseReply } from '../replies/lock.replies.js';
import type { Placed, WaitReply } from '../replies/queue.replies.js';
import { isHandoff } from '../scripts/lock.messages.js';
import { promised, type LateAnswer, type ReplyCallback } from '../replies/reply.callback.js';
import { now } from '../timing/monotonic.clock.js';
import type { AttemptOutcome, AcquireResult, AcquireTerms, WaitingPlace } from './acquire.contract.js';
import type { LockContext } from '../core/lock.context.js';
import type { LockTarget } from '../core/lock.target.js';
import { acquireAgain } from './late.grant.js';

/** No request was made so far. */
const NO_TERMS: AcquireTerms = { leaseTime: undefined, waitTime: 0 };

/**
 * Requests a lock from Redis, one request at a time. An attempt whose answer got lost is made again under the same holder id, which is safe to
 * repeat, unless its grant has come late. After "busy", or {@link undo}, a release under that id is sent, in case the lost request is granted late.
 * Where waiters leave a mark in Redis, such as their place in a queue, the id is kept until the attempt is undone.
 */
export class AcquireAttempt implements ReplyCallback<AcquireReply> {
  /** The holder id of the next attempt; undefined until it is needed. */
  #holder: string | undefined;
  #ambiguousFailure: RedisFailure | undefined;
  /** What may still answer the last request. */
  #late: LateAnswer<AcquireReply> | undefined;
  /** Whether a request before the last one may still be granted, whatever the answer to the last one. */
  #isEarlierLost = false;
  /** Whether the last request was for a place in the queue of processes. */
  #isPlaced = false;
  /** Whether a waiter may have left a mark in Redis: some request of it was sent, and was not refused. */
  #marked = false;
  /** Of the one under way, or the last. */
  #terms = NO_TERMS;
  #lease = 0;
  #sent!: Instant;
  #conclude!: (outcome: AttemptOutcome) => void;
  #isHandoffMessage = false;
  /** When the release was sent that has handed it the lock. */
  #handoffSent: Instant | undefined;

  /**
   * @param place of this process in the queue of the lock; the loop gives one that is made later
   * @param holder the id of the first attempt, which was not used before. @default the next one
   */
  constructor(
    private readonly context: Pick<LockContext, 'backgroundRelease' | 'settings'>,
    private readonly target: LockTarget,
    public place?: WaitingPlace,
    holder?: string,
  ) {
    this.#holder = holder;
  }

  /** The holder id under which the next attempt is made. */
  get holder(): string {
    return (this.#holder ??= this.target.kind.holderIds.next());
  }

  /**
   * @param conclude is called once, with the outcome; must not throw
   * @param at the monotonic clock, read a moment ago
   */
  request(terms: AcquireTerms, conclude: (outcome: AttemptOutcome) => void, at = now()): void {
    const { leaseTime: lease = this.context.settings.watchdogTimeout } = terms;
    // A lost request may have granted its lease under this id, and a longer one would stay: another lease takes a new id.
    if (lease !== this.#lease) this.undo();
    this.#terms = terms;
    this.#lease = lease;
    this.#conclude = conclude;
    const handoff = this.#takeHandoff(lease, at);
    if (handoff !== undefined) conclude(handoff);
    else if (this.#isHandoffMessage) void this.#confirmHandoff();
    else if (this.#late !== undefined) void this.#takeLate(this.#late);
    else this.#send(at);
  }

  get sentAt(): number {
    return this.#sent.at;
  }

  answered(reply: AcquireReply): void {
    const at = now();
    this.#marked ||= this.#isPlaced || (this.target.kind.marksWaiters && this.#terms.waitTime > 0);
    const isLate = reply.kind === 'granted' && isStale(this.#sent, this.#lease, at);
    if (isLate) void this.#sendAgain(reply);
    else this.#conclude(this.#outcomeOf(reply, this.#sent, at));
  }

  failed(error: unknown, late?: LateAnswer<AcquireReply>): void {
    const failure = RedisFailure.from(error);
    if (failure.kind === 'ambiguous') {
      this.#isEarlierLost = this.#ambiguousFailure !== undefined;
      this.#ambiguousFailure = failure;
      this.#late = late;
    }
    // A grant that too few replicas have does not count, so it is released, unless that gives up a place in a queue.
    if (failure.isNotReplicated && !this.target.kind.marksWaiters) this.undo();
    this.#conclude(failure);
  }

  /** A message for its holder id has arrived. */
  onMessage(payload: string): void {
    // Where nothing is given, such as permits, a number means something else.
    this.#isHandoffMessage ||= this.target.kind.handoffLease !== undefined && isHandoff(payload);
  }

  /** A release of this process has made it the holder, with its whole lease. @param sent when that release was sent */
  acceptHandoff(sent: Instant): void {
    this.#handoffSent = sent;
  }

  /** Sees to it that nothing of an attempt is left: no late grant, no mark of a waiter. */
  undo(): void {
    if (this.#ambiguousFailure === undefined && !this.#marked) return;
    void this.context.backgroundRelease.release({
      target: this.target,
      holder: this.holder,
      lease: this.#lease,
      failure: this.#ambiguousFailure,
      // A refusal may leave a mark, too.
      late: this.#leavesMark ? undefined : this.#late?.then(ifNothing),
    });
    this.#reset();
  }

  /** Whether a refusal of the last request would leave something in Redis. */
  get #leavesMark(): boolean {
    return this.#isEarlierLost || this.#isPlaced || this.target.kind.marksWaiters;
  }

  #reset(): void {
    this.#ambiguousFailure = undefined;
    this.#late = undefined;
    this.#marked = false;
    this.#holder = undefined;
    this.#isHandoffMessage = false;
    this.#handoffSent = undefined;
    this.#isPlaced = false;
  }

  /** The request before this one was settled meanwhile: its grant is as good as a new one. */
  async #takeLate(late: LateAnswer<AcquireReply>): Promise<void> {
    this.#late = undefined;
    const answer = await late;
    if ('reply' in answer && answer.reply.kind === 'granted') this.answered(answer.reply);
    else this.#send();
  }

  #send(at = now()): void {
    this.#sent = instant(at);
    // A grant of the request before counts from when that one was sent, which is not known any more.
    this.#late = undefined;
    try {
      this.#acquire(this);
    } catch (error) {
      this.failed(error);
    }
  }

  #acquire(callback: ReplyCallback<AcquireReply>): void {
    const { key, kind } = this.target;
    const { waitTime } = this.#terms;
    const { holder, place } = this;
    const lease = this.#lease;
    const terms = place?.beginRequest(holder);
    this.#isPlaced = terms !== undefined;
    if (terms !== undefined && kind.queue !== undefined) {
      const command = { key, channel: this.target.channel, holder, lease, ...terms };
      kind.queue.wait(command, callback as ReplyCallback<WaitReply>);
    } else {
      // The wait that a fair lock notes for its queue: the same value on each attempt. The scripts limit it.
      const declared = !kind.publishesRelease
        ? 0
        : waitTime === Infinity
          ? this.context.settings.fairWaitTimeout
          : waitTime;
      // A process that cannot be notified of its turn does not wait for it, but takes the lock when it is free.
      const wait = place?.isUnreachable === true ? 0 : declared;
      kind.scripts.acquire(
        { key, holder, lease, count: 1, wait, declared, handoffLease: this.#handoffLease },
        callback,
      );
    }
  }

  /** Requests a late grant once more. An answer in time, which is the usual case, needs no promise. */
  async #sendAgain(first: AcquireReply): Promise<void> {
    const send = () => promised<AcquireReply>((callback) => this.#acquire(callback));
    await acquireAgain(this.#lease, send, first).then(
      ({ reply, sent }) => this.#conclude(this.#outcomeOf(reply, sent, now())),
      (error: unknown) => this.failed(error),
    );
  }

  #outcomeOf(reply: AcquireReply, sent: Instant, at: number): AttemptOutcome {
    if (reply.kind === 'granted') return this.#granted(sent, at, reply);
    // Also where a late grant was requested once more, by a `wait` this time.
    this.#marked ||= this.#isPlaced;
    if (!this.#marked) this.undo();
    if (this.#isPlaced) this.place?.wasPlaced(reply as Placed);
    if (reply.kind === 'busy') return reply;
    if (reply.kind === 'queued') return { kind: 'busy', ttl: -2, holder: '' };
    return new RedisFailure('refused', 'a first acquisition cannot have been lost');
  }

  #granted(
    sent: Instant,
    at: number,
    {
      token,
      room,
      isListener,
      called,
    }: Omit<Extract<AcquireReply, { readonly kind: 'granted' }>, 'kind' | 'count'> = {},
  ): AcquireResult {
    const { holder } = this;
    this.place?.wasGranted(isListener, called);
    this.#reset();
    return { kind: 'granted', holder, leaseTime: this.#terms.leaseTime, sent, at, token, room };
  }

  /** The lock that a release handed to it; a lease that is half over is requested anew, as after any late grant. */
  #takeHandoff(lease: number, at: number): AcquireResult | undefined {
    const sent = this.#handoffSent;
    if (sent === undefined) return undefined;
    this.#handoffSent = undefined;
    return isStale(sent, lease, at) ? undefined : this.#granted(sent, at);
  }

  /**
   * A message announced a hand-off, which may be long ago: the lease of a handoff is short. The lease that counts is the one that Redis
   * gives now. If Redis gives none, the attempt is made as usual.
   */
  async #confirmHandoff(): Promise<void> {
    this.#isHandoffMessage = false;
    const { key, kind } = this.target;
    const sent = instant();
    const left = await promised<number | undefined>((callback) =>
      kind.scripts.renew(key, this.holder, this.#lease, callback),
    ).catch(() => undefined);
    const at = now();
    if (left === undefined || isStale(sent, this.#lease, at)) this.#send();
    else this.#conclude(this.#granted(sent, at));
  }

  /** A hand-off gives only leases that the watchdog renews: a fixed lease begins at its own grant. The waiter itself requests a grant that replicas must acknowledge. */
  get #handoffLease(): number | undefined {
    const { leaseTime, waitTime } = this.#terms;
    const { watchdogTimeout, replication } = this.context.settings;
    const isTaken = leaseTime === undefined && waitTime > 0 && replication === undefined;
    const { handoffLease = Infinity } = this.target.kind;
    // A lease that is not longer needs no short one before it.
    return isTaken && watchdogTimeout > handoffLease ? handoffLease : undefined;
  }
}

/** The answer to a release, where a late refusal makes it superfluous. */
function ifNothing(answer: Awaited<LateAnswer<AcquireReply>>): { readonly reply: ReleaseReply } | undefined {
  return 'reply' in answer && answer.reply.kind === 'busy' ? { reply: { kind: 'gone' } } : undefined;
}
