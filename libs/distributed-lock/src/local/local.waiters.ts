import { callStack, placeOf, type CallStack } from '../errors/call.place.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import { Waiter, type WaiterHost, type WaitRequest } from '../acquire/waiter.js';
import { WaiterQueue } from '../acquire/waiter.queue.js';
import type { Hold } from '../holds/hold.js';
import { LastAnswer } from './last.answer.js';
import { unavailable, type LockContext } from '../core/lock.context.js';
import type { SelfWaitSubject, SelfWaitWatch } from './self-wait.watch.js';

/**
 * A round trip may take so long in a busy moment, in ms. A `waitTime` below that bounds the waiting for others alone, as 0 does: Redis has
 * `commandTimeout` to say whether there is anything to wait for.
 */
export const ROUND_TRIP = 100;

/** The queue, and what explains a refusal. */
interface WaitingState<G, R extends WaitRequest> {
  readonly queue: WaiterQueue<G, R>;
  readonly lastAnswer: LastAnswer;
  /** The call of the first waiter that may wait for itself, and the hold that was logged for that. */
  suspicion: { waiter?: unknown; call?: CallStack; logged?: Hold } | undefined;
}

/** The callers of this process that wait for one lock or counter in Redis. Subclasses decide how they are served. */
export abstract class LocalWaiters<G, R extends WaitRequest = WaitRequest>
  implements WaiterHost<G, R>, SelfWaitSubject
{
  /** Created with the first waiter or answer: most locks are never waited for. */
  #state: WaitingState<G, R> | undefined;
  #working = 0;

  protected abstract readonly home: { readonly context: LockContext; readonly selfWaits: SelfWaitWatch };

  get context(): LockContext {
    return this.home.context;
  }

  /** What is waited for. */
  abstract readonly target: { readonly name: string };

  /** A waiter has entered the queue. */
  protected abstract onEnter(waiter: Waiter<G, R>): void;
  /** A waiter has left without a grant. */
  protected abstract onLeave(waiter: Waiter<G, R>): void;
  /** Forgets a local lock that is not needed any more. */
  protected abstract forgetIfUnused(): void;

  get name(): string {
    return this.target.name;
  }

  /** The number of waiters. */
  get waiters(): number {
    return this.#state?.queue.size ?? 0;
  }

  get isWaitedFor(): boolean {
    return this.first !== undefined;
  }

  protected get queue(): WaiterQueue<G, R> {
    return this.state.queue;
  }

  /** The waiter that has waited longest. */
  protected get first(): Waiter<G, R> | undefined {
    return this.#state?.queue.first;
  }

  private get state(): WaitingState<G, R> {
    return (this.#state ??= {
      queue: new WaiterQueue(),
      lastAnswer: new LastAnswer(this.name),
      suspicion: undefined,
    });
  }

  protected get lastAnswer(): LastAnswer {
    return this.state.lastAnswer;
  }

  /** Undefined without an answer and without a waiter. */
  protected get lastAnswerIfAny(): LastAnswer | undefined {
    return this.#state?.lastAnswer;
  }

  /** A caller of this process got it. */
  protected wasGranted(): void {
    this.#state?.lastAnswer.granted();
    // The one that is granted is taken from the queue in this turn of the event loop.
    if (this.excludes && this.first?.isOverdue === true) setImmediate(() => this.refuseOverdue());
  }

  /** This process let go of it, or lost it. */
  protected wasFreed(at?: number): void {
    this.#state?.lastAnswer.freed(at);
  }

  /** Whether there is no waiter, and no work under way. */
  protected get isIdle(): boolean {
    return this.#working === 0 && !this.isWaitedFor;
  }

  /** The hold of this process that is in the way of its waiters. */
  protected get blockingHold(): Hold | undefined {
    return undefined;
  }

  /** The holds of this process that may be in the way of its waiters, and of which it is known that they are. */
  protected get blockingHolds(): readonly Hold[] {
    return this.blockingHold === undefined ? [] : [this.blockingHold];
  }

  /** When a wait is long, in ms. */
  protected get warnAfter(): number {
    return this.context.settings.warnAfter;
  }

  /** Enters the queue. Rejects when the time is over, or with the signal's reason. */
  wait(request: R): Promise<G> {
    const { maxWaiters } = this.context.settings;
    if (request.signal?.aborted === true) {
      this.forgetIfUnused();
      return Promise.reject(request.signal.reason);
    }
    if (this.queue.size >= maxWaiters) {
      const heldBy = this.lastAnswer.heldBy(this.blockingHold);
      return Promise.reject(new LockNotAcquiredError(this.name, 0, heldBy, 'TOO_MANY_WAITERS'));
    }
    // The first caller waits only if Redis answers "busy".
    if (request.watch !== undefined && (this.isWaitedFor || this.blockingHold !== undefined))
      this.notifyWaiting(request);
    const waiter = new Waiter<G, R>(request, this.context.wheel, this);
    waiter.warnAfter(this.warnAfter);
    if (request.waitTime === Infinity && this.home.selfWaits.isOn) this.watchSelfWait(waiter);
    this.queue.push(waiter);
    this.onEnter(waiter);
    return waiter.granted;
  }

  /** Takes a stack of the first waiter only: a stack is too expensive for each one. */
  private watchSelfWait(waiter: Waiter<G, R>): void {
    const { selfWaits } = this.home;
    if (
      !this.isWaitedFor &&
      this.blockingHolds.some(({ isOutsideScope }) => isOutsideScope) &&
      selfWaits.affordsStack(waiter.since)
    )
      this.state.suspicion = { ...this.state.suspicion, waiter, call: callStack(this.wait) };
    selfWaits.begin();
  }

  warnOfSelfWait(delay: number): void {
    const hold = this.blockingHolds.find(({ isOutsideScope, held }) => isOutsideScope && held >= delay);
    if (hold === undefined || hold === this.state.suspicion?.logged) return;
    const waiter = this.queue
      .snapshot()
      .find(({ request, waited }) => request.waitTime === Infinity && waited >= delay);
    if (waiter === undefined) return;
    const { since, lease } = hold;
    const { suspicion } = this.state;
    const where = suspicion?.waiter === waiter && suspicion.call ? placeOf(suspicion.call) : undefined;
    this.state.suspicion = { ...suspicion, logged: hold };
    const { waited } = waiter;
    this.context.notices.post({
      kind: 'self-wait',
      lock: this.name,
      waited,
      heldBy: lease.holder,
      since,
      where,
    });
  }

  private notifyWaiting(request: R | undefined): void {
    request?.watch?.waiting(this.lastAnswer.heldBy(this.blockingHold));
  }

  /** Why a waiter got nothing in its time. */
  timeoutError(late: Waiter<G, R>): Error {
    return this.lastAnswer.timeUp(late, this.blockingHold);
  }

  graceFor(waiter: Waiter<G, R>): number {
    const { waitTime } = waiter.request;
    if (waitTime >= ROUND_TRIP || this.lastAnswer.hasAnswer(waiter, this.blockingHold, this.excludes))
      return 0;
    return this.context.settings.commandTimeout - waiter.waited;
  }

  /** Whether what one caller got is what the others wait for: not where there may be room for several. */
  protected get excludes(): boolean {
    return true;
  }

  /** Waiters whose time is over were only waiting for this answer. */
  private refuseOverdue(): void {
    for (const waiter of this.queue.snapshot())
      if (waiter.isOverdue && this.lastAnswer.hasAnswer(waiter, this.blockingHold, this.excludes))
        waiter.refuse(this.timeoutError(waiter));
  }

  /** A waiter has waited for long. */
  warn(waiter: Waiter<G, R>): void {
    this.context.notices.post(this.lastAnswer.longWait(waiter, this.blockingHold));
  }

  /** A waiter leaves without a grant. */
  quit(waiter: Waiter<G, R>): void {
    this.queue.remove(waiter);
    this.onLeave(waiter);
    this.forgetIfUnused();
  }

  /** Refuses waiters for whom `refuse` has an error. */
  refuse(refuse: (request: R) => Error | undefined): void {
    for (const waiter of this.queue.snapshot()) {
      const error = refuse(waiter.request);
      if (error !== undefined) waiter.refuse(error);
    }
  }

  notGranted(news: Busy | RedisFailure): void {
    this.lastAnswer.record(news);
    if (this.first?.isOverdue === true) this.refuseOverdue();
    if (!(news instanceof RedisFailure)) {
      this.notifyWaiting(this.first?.request);
      return;
    }
    if (!news.isTransient) this.refuse(() => unavailable(this.name, news));
    if (!news.isNotReplicated) return;
    for (const waiter of this.queue.snapshot()) {
      const error = this.lastAnswer.replicationError(waiter);
      if (error !== undefined) waiter.refuse(error);
    }
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Work is under way: the local lock is kept until its {@link end}. */
  begin(): void {
    this.#working += 1;
  }

  /** The work has ended. */
  end(): void {
    this.#working -= 1;
    if (this.isIdle) this.dropWaitingState();
    this.forgetIfUnused();
  }

  /** The last waiter has left: what was kept for waiters is forgotten. */
  protected dropWaitingState(): void {
    this.#state = undefined;
  }

  /**
   * Whether a new waiter is a reason to ask Redis: it is the first one, or it has a time limit and the last answer is too old to explain
   * its refusal.
   */
  protected isReasonToAsk(waiter: Waiter<G, R>): boolean {
    const wantsNews = waiter.request.waitTime !== Infinity && this.lastAnswer.isStale;
    return wantsNews || this.first === waiter;
  }
}
