import { callStack, placeOf, type CallStack } from '../errors/call.place.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import type { Busy } from '../replies/lock.replies.js';
import { Waiter, type WaiterOwner, type WaitRequest } from './waiter.js';
import { WaiterQueue } from './waiter.queue.js';
import type { Hold } from '../holds/hold.js';
import { LastAnswer } from './last.answer.js';
import type { LockContext } from '../core/lock.context.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { SelfWaitWatch } from './self-wait.watch.js';
import { machine } from '../timing/machine.js';

/**
 * A round trip may take so long in a busy moment, in ms. A `waitTime` below that bounds the waiting for others alone, as 0 does: Redis has
 * `commandTimeout` to say whether there is anything to wait for.
 */
export const LONGEST_ROUND_TRIP = 100;

/** The lock or counter that is waited for: it decides how its waiters are served. */
export interface LocalWaitersOwner<G, R extends WaitRequest = WaitRequest> {
  readonly target: { readonly name: string };
  readonly registry: {
    readonly context: Pick<LockContext, 'settings' | 'wheel' | 'notices'>;
    readonly selfWaits: SelfWaitWatch;
  };
  /** The hold of this process that is in the way of the waiters. */
  readonly blockingHold?: Hold | undefined;
  /** The holds of this process that may be in the way of the waiters, and of which it is known that they are. */
  readonly blockingHolds?: readonly Hold[];
  /** Whether it is held, and waited for, as long as a process lives: then no wait is long. @default false */
  readonly isLasting?: boolean;
  /** Whether what one caller got is what the others wait for: not where there may be room for several. @default false */
  readonly isExclusive?: boolean;
  /** A waiter has entered the queue. */
  onEnter(waiter: Waiter<G, R>): void;
  /** A waiter has left without a grant. */
  onLeave(waiter: Waiter<G, R>): void;
  /** No waiter is left, and no work is under way. */
  onIdle(): void;
}

/** A call that may wait for its own process. */
interface SuspectedSelfWait {
  /** The first waiter, and the place of its call. */
  readonly waiter?: unknown;
  readonly call?: CallStack;
  /** The hold that was logged. */
  readonly logged?: Hold;
}

/** The callers of this process that wait for one lock or counter in Redis, and the work that keeps it. */
export class LocalWaiters<G, R extends WaitRequest = WaitRequest> implements WaiterOwner<G, R> {
  /** The waiter whose first request is under way: it is in the queue only if the lock is busy. */
  firstRequester: Waiter<G, R> | undefined = undefined;
  #queue: WaiterQueue<G, R> | undefined;
  #lastAnswer: LastAnswer | undefined;
  #suspectedSelfWait: SuspectedSelfWait | undefined;
  #working = 0;

  constructor(private readonly owner: LocalWaitersOwner<G, R>) {}

  get queue(): WaiterQueue<G, R> {
    return (this.#queue ??= new WaiterQueue());
  }

  /** The waiter that has waited longest. */
  get first(): Waiter<G, R> | undefined {
    return this.#queue?.first;
  }

  /** The number of waiters. */
  get size(): number {
    return (this.#queue?.size ?? 0) + (this.firstRequester?.isDone === false ? 1 : 0);
  }

  get lastAnswer(): LastAnswer {
    return (this.#lastAnswer ??= new LastAnswer(this.owner.target.name));
  }

  /** Undefined if no answer is known. */
  get existingAnswer(): LastAnswer | undefined {
    return this.#lastAnswer;
  }

  /** Whether there is no waiter, and no work under way. */
  get isIdle(): boolean {
    return this.#working === 0 && this.#queue?.first === undefined;
  }

  /** Enters the queue. Rejects when the time is over, or with the signal's reason. */
  wait(request: R): Promise<G> {
    const { registry, target, blockingHold } = this.owner;
    const refuseAborted = () => {
      this.#checkIdle();
      return Promise.reject(request.signal?.reason);
    };
    if (isAborted(request)) return refuseAborted();
    if (this.size >= registry.context.settings.maxWaiters) {
      const heldBy = this.lastAnswer.heldBy(blockingHold);
      return Promise.reject(new LockNotAcquiredError(target.name, 0, heldBy, 'TOO_MANY_WAITERS'));
    }
    // The first caller waits only if Redis answers "busy".
    if (request.watch !== undefined && (this.size > 0 || blockingHold !== undefined))
      this.#notifyWaiting(request);
    // A listener of events may have aborted it.
    if (isAborted(request)) return refuseAborted();
    const waiter = this.create(request, this.wait);
    this.push(waiter);
    this.owner.onEnter(waiter);
    return waiter.outcome;
  }

  /** @param calledMethod the stack of its caller is noted if the call may wait for its own process */
  create(request: R, calledMethod: (...args: never[]) => unknown): Waiter<G, R> {
    const { registry, blockingHolds = [], isLasting = false } = this.owner;
    const { settings, wheel } = registry.context;
    const waiter = new Waiter<G, R>(request, wheel, this);
    // A slow reply to the first request is a long wait, too.
    if (request.waitTime > 0 && !isLasting) waiter.warnAfter(settings.warnAfter);
    if (blockingHolds.length > 0 && request.waitTime === Infinity)
      this.#noteSuspectedSelfWait(waiter, blockingHolds, calledMethod);
    return waiter;
  }

  /** Puts a waiter into the queue. @param isFirst whether its request was made before the others came */
  push(waiter: Waiter<G, R>, isFirst = false): void {
    // Created while callers wait anyway: the first hand-off after a pause would take 4 µs longer.
    this.#lastAnswer ??= new LastAnswer(this.owner.target.name);
    if (waiter.request.waitTime === Infinity) this.owner.registry.selfWaits.begin();
    if (isFirst) this.queue.unshift(waiter);
    else this.queue.push(waiter);
  }

  /** A caller of this process got it. */
  wasGranted(): void {
    const { first } = this;
    if (first === undefined) return;
    this.lastAnswer.granted();
    // The one that is granted is taken from the queue in this turn of the event loop.
    if (first.isOverdue && this.owner.isExclusive === true)
      machine.global.setImmediate(() => this.#refuseOverdue());
  }

  /** A request did not succeed: records why, and refuses the waiters that cannot go on waiting. */
  notGranted(outcome: Busy | RedisFailure): void {
    const { name } = this.owner.target;
    this.lastAnswer.record(outcome);
    if (this.first?.isOverdue === true) this.#refuseOverdue();
    if (!(outcome instanceof RedisFailure)) {
      this.#notifyWaiting(this.first?.request);
      return;
    }
    if (!outcome.isTransient) this.refuse(() => unavailable(name, outcome));
    if (!outcome.isNotReplicated) return;
    for (const waiter of this.queue.snapshot()) {
      const error = this.lastAnswer.replicationError(waiter);
      if (error !== undefined) waiter.refuse(error);
    }
  }

  /** Refuses waiters for whom `refuse` has an error. */
  refuse(refuse: (request: R) => Error | undefined): void {
    const waiters = this.queue.snapshot();
    for (const waiter of this.firstRequester === undefined ? waiters : [this.firstRequester, ...waiters]) {
      const error = refuse(waiter.request);
      if (error !== undefined) waiter.refuse(error);
    }
  }

  /**
   * Whether a new waiter needs a request to Redis: it is the first one, or it has a time limit and the last answer is too old to explain
   * its refusal.
   */
  needsRequest(waiter: Waiter<G, R>): boolean {
    const needsAnswer = waiter.request.waitTime !== Infinity && this.#lastAnswer?.isStale === true;
    return needsAnswer || this.first === waiter;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Work is under way, and the owner is kept until its {@link end}. */
  begin(): void {
    this.#working += 1;
  }

  /** The work has ended. */
  end(): void {
    this.#working -= 1;
    if (this.isIdle) this.owner.onIdle();
  }

  quit(waiter: Waiter<G, R>): void {
    this.#queue?.remove(waiter);
    this.owner.onLeave(waiter);
    this.#checkIdle();
  }

  timeoutError(late: Waiter<G, R>): Error {
    return this.lastAnswer.timeUp(late, this.owner.blockingHold);
  }

  gracePeriodOf(waiter: Waiter<G, R>): number {
    const { settings } = this.owner.registry.context;
    const { waitTime } = waiter.request;
    return waitTime >= LONGEST_ROUND_TRIP || this.#hasAnswer(waiter)
      ? 0
      : settings.commandTimeout - waiter.waited;
  }

  warn(waiter: Waiter<G, R>): void {
    const { registry, blockingHold } = this.owner;
    registry.context.notices.post(this.lastAnswer.longWait(waiter, blockingHold));
  }

  /** Logs a caller that has waited for `delay` ms behind a handle that this process has had for as long. */
  warnOfSelfWait(delay: number): void {
    const { registry, target, blockingHolds = [] } = this.owner;
    const hold = blockingHolds.find(({ isOutsideScope, held }) => isOutsideScope && held >= delay);
    if (hold === undefined || hold === this.#suspectedSelfWait?.logged) return;
    const waiter = this.queue
      .snapshot()
      .find(({ request, waited }) => request.waitTime === Infinity && waited >= delay);
    if (waiter === undefined) return;
    const suspected = this.#suspectedSelfWait;
    const where = suspected?.waiter === waiter && suspected.call ? placeOf(suspected.call) : undefined;
    this.#suspectedSelfWait = { ...suspected, logged: hold };
    const { since, lease } = hold;
    const { waited } = waiter;
    registry.context.notices.post({
      kind: 'self-wait',
      lock: target.name,
      waited,
      heldBy: lease.holder,
      since,
      where,
    });
  }

  /** Takes a stack of the first waiter only: a stack is too expensive for each one. */
  #noteSuspectedSelfWait(
    waiter: Waiter<G, R>,
    holds: readonly Hold[],
    calledMethod: (...args: never[]) => unknown,
  ): void {
    const { selfWaits } = this.owner.registry;
    if (
      selfWaits.isOn &&
      this.size === 0 &&
      holds.some(({ isOutsideScope }) => isOutsideScope) &&
      selfWaits.affordsStack(waiter.since)
    )
      this.#suspectedSelfWait = { ...this.#suspectedSelfWait, waiter, call: callStack(calledMethod) };
  }

  #notifyWaiting(request: R | undefined): void {
    request?.watch?.waiting(this.lastAnswer.heldBy(this.owner.blockingHold));
  }

  /** Waiters whose time is over were only waiting for this answer. */
  #refuseOverdue(): void {
    for (const waiter of this.queue.snapshot())
      if (waiter.isOverdue && this.#hasAnswer(waiter)) waiter.refuse(this.timeoutError(waiter));
  }

  #hasAnswer(waiter: Waiter<G, R>): boolean {
    const { blockingHold, isExclusive = false } = this.owner;
    return this.lastAnswer.hasAnswer(waiter, blockingHold, isExclusive);
  }

  #checkIdle(): void {
    if (this.isIdle) this.owner.onIdle();
  }
}

function isAborted({ signal }: WaitRequest): boolean {
  return signal?.aborted === true;
}
