import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { isRelease } from '../scripts/lock.messages.js';
import { now } from '../timing/monotonic.clock.js';
import type { Subscription } from '../redis/channel.subscriptions.js';
import { WakeSignal } from '../acquire/wake.signal.js';
import type { Waiter } from '../waiters/waiter.js';
import { leaveEarly } from '../waiters/cancellable.wait.js';
import { GroupHandle } from './group.handle.js';
import { HandoffPolicy } from '../local/handoff.policy.js';
import type { Hold } from '../holds/hold.js';
import type { LocalLockOwner } from '../local/local.lock.registry.js';
import { unavailable } from '../core/unavailable.errors.js';
import { requestQuorum, checkQuorum } from './quorum.round.js';
import type { QuorumTerms, RoundRefusal } from './quorum.contract.js';
import type { AcquireRequest } from '../locks/reentry.js';
import { LocalWaiters, type LocalWaitersOwner } from '../waiters/local.waiters.js';
import { machine } from '../timing/machine.js';

/** Pauses between rounds, in ms: after a collision a random one, whose bound doubles; after a message; while too few servers answer. */
const ROUND_PAUSE = { collision: 10, longestCollision: 160, afterMessage: 5, unreachable: 100 };

/** Sleeps, in ms: a floor against a hot loop at the end of a lease; a poll while too few servers are subscribed to. */
const SLEEP = { floor: 10, unsubscribed: 1000 };

/** The number of attempts of a call that does not wait, when several callers collide and none gets the lock. */
const TRIES = 5;

/** A red lock as this process sees it: its waiters are served first come, first served, and the first one requests the lock. */
export class LocalRedLock implements LocalWaitersOwner<GroupHandle> {
  readonly waiters = new LocalWaiters<GroupHandle>(this);
  readonly isExclusive = true;
  readonly #signal: WakeSignal;
  readonly #handOver: HandoffPolicy;
  #subscriptions: Subscription[] = [];
  #running = false;
  #collisions = 0;
  /** Whether some servers are free while another caller may hold the lock: an attempt that is given back would only wake the others. */
  #isLoose = false;
  /** Whether this process has just released the lock, and may acquire it again before other processes. */
  #isNext = false;

  constructor(
    readonly registry: LocalLockOwner<LocalRedLock>,
    readonly target: QuorumTerms & { readonly id: string },
  ) {
    const { context } = registry;
    this.#signal = new WakeSignal(context.wheel);
    this.#handOver = new HandoffPolicy(context.settings.handOver);
  }

  get existingWaiters(): LocalWaiters<GroupHandle> {
    return this.waiters;
  }

  get hasWaiters(): boolean {
    return this.waiters.first !== undefined;
  }

  /**
   * Makes one attempt; a few when several callers request the lock at the same time, and none of them gets it.
   * @param within how long the answer may take, in ms
   * @param outer the handle through which the caller's scope already holds the lock
   * @throws LockNotAcquiredError when another caller holds the lock
   * @throws LockUnavailableError when too few servers answer
   */
  try({ leaseTime, signal }: AcquireRequest, within = Infinity, outer?: GroupHandle): Promise<GroupHandle> {
    const acquiring = this.waiters.during(() => this.#try(leaseTime, signal, outer));
    const timeUp = () => unavailable(this.target.name, new RedisFailure('ambiguous', 'no answer in time'));
    return leaveEarly(acquiring, { signal, within, timeUp }, this.registry.context.wheel, (late) =>
      late.unlock(),
    );
  }

  /** After a release by this process its next waiter may try at once, for a limited time; then other processes have their turn. */
  freed(): void {
    this.waiters.lastAnswer.freed();
    this.#isNext = this.#handOver.takeNext(this.waiters.size);
    if (!this.#isNext) this.#handOver.begin();
    this.#signal.wake();
  }

  /** The hold of this process, provided that it has the majority. */
  get blockingHold(): Hold | undefined {
    const { servers, quorum, targetOn } = this.target;
    const holds = servers.flatMap(({ engine }) => engine.localLocks.get(targetOn(engine).id)?.holds ?? []);
    return holds.length < quorum ? undefined : holds[0];
  }

  get blockingHolds(): readonly Hold[] {
    return this.blockingHold === undefined ? [] : [this.blockingHold];
  }

  onEnter(waiter: Waiter<GroupHandle>): void {
    if (this.waiters.needsRequest(waiter)) this.#signal.wake();
    if (this.#running) return;
    this.#running = true;
    void this.registry.context.outside(() => this.waiters.during(() => this.#run()));
  }

  onLeave(): void {
    if (!this.hasWaiters) this.#signal.wake();
  }

  onIdle(): void {
    this.registry.forget(this);
  }

  async #try(
    leaseTime: number | undefined,
    signal: AbortSignal | undefined,
    outer: GroupHandle | undefined,
  ): Promise<GroupHandle> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await requestQuorum(this.target, leaseTime, outer);
      if (outcome instanceof GroupHandle) return outcome;
      if (!outcome.isReachable) throw unavailable(this.target.name, outcome.failure);
      if (!outcome.isSplit || tries === TRIES)
        throw new LockNotAcquiredError(this.target.name, 0, outcome.heldBy);
      await this.registry.context.wheel.pause(collisionPause(tries));
      signal?.throwIfAborted();
    }
  }

  async #run(): Promise<void> {
    for (let { first } = this.waiters; first !== undefined; { first } = this.waiters) {
      // The round finds out anyway what an earlier wake was about; a wake from now on is kept for the sleep.
      this.#signal.clear();
      const seen = this.#isLoose ? await checkQuorum(this.target) : undefined;
      this.#isLoose = seen !== undefined;
      if (seen === undefined) await this.#request(first.request.leaseTime);
      else await this.#sleep(seen, false);
    }
    this.#running = false;
    this.#isLoose = false;
    this.#collisions = 0;
    for (const subscription of this.#subscriptions.splice(0)) subscription.release();
  }

  async #request(leaseTime: number | undefined): Promise<void> {
    const outcome = await requestQuorum(this.target, leaseTime);
    if (!(outcome instanceof GroupHandle)) return await this.#sleep(outcome, true);
    this.#collisions = 0;
    this.waiters.wasGranted();
    const { first } = this.waiters;
    // The waiter that made the request may have left meanwhile, and the next one may want another lease.
    if (first === undefined || first.request.leaseTime !== leaseTime) return await outcome.giveBack();
    this.waiters.queue.remove(first);
    first.resolve(outcome);
  }

  async #sleep(refusal: RoundRefusal, hasTaken: boolean): Promise<void> {
    const { heldBy, isSplit, granted, isReachable, freeIn, failure } = refusal;
    if (!isReachable) {
      this.waiters.notGranted(failure);
      await this.#signal.sleep(ROUND_PAUSE.unreachable * (0.75 + 0.5 * machine.global.Math.random()));
      return;
    }
    this.waiters.notGranted({ kind: 'busy', ttl: heldBy.ttl ?? -1, holder: heldBy.holder ?? '' });
    if (granted > 0 && !isSplit) this.#isLoose = true;
    if (isSplit || (hasTaken && granted > 0)) return await this.#backOff();
    this.#collisions = 0;
    await this.#rest(freeIn);
  }

  /** Several callers collided: the random pause decides which is first now. Messages during the pause are those of their releases. */
  async #backOff(): Promise<void> {
    this.#collisions += 1;
    const end = now() + collisionPause(this.#collisions);
    for (let left = end - now(); left > 0 && this.hasWaiters; left = end - now())
      await this.#signal.sleep(left);
  }

  /** Sleeps until the lock is released, or could be free without a message: servers that forgot it, and count again, publish nothing. */
  async #rest(freeIn: number): Promise<void> {
    const { watchdogTimeout } = this.registry.context.settings;
    await this.#signal.sleep(
      Math.min(this.#listen(), watchdogTimeout / 3, Math.max(freeIn + 1, SLEEP.floor)),
    );
    const isNext = this.#isNext;
    this.#isNext = false;
    if (isNext) return;
    // The waiters of all processes receive the same message: they should not try at the same moment.
    const jitter = machine.global.Math.random() * ROUND_PAUSE.afterMessage;
    await this.registry.context.wheel.pause(jitter);
  }

  /**
   * Once enough servers are subscribed to that no release can be missed, it wakes the loop: there may have been a release before.
   * @returns how long the loop may rely on messages, in ms
   */
  #listen(): number {
    if (this.#subscriptions.length > 0)
      return this.#subscriptions.filter(({ isActive }) => isActive).length < this.target.quorum
        ? SLEEP.unsubscribed
        : Infinity;
    // A hold of this process reports its own release; to check for such a hold costs nothing.
    if (this.blockingHold !== undefined) return SLEEP.unsubscribed;
    let active = 0;
    const wake = () => this.#signal.wake();
    const listener = (payload: string | undefined) => {
      if (payload === undefined || isRelease(payload)) wake();
    };
    // When a channel is lost, the loop wakes to poll.
    this.#subscriptions = this.target.servers.map(({ engine }) =>
      engine.context.subscriptions.subscribe(this.target.targetOn(engine).channel, listener, wake),
    );
    for (const subscription of this.#subscriptions) {
      void subscription.acknowledged.then(() => {
        if (subscription.isActive && (active += 1) === this.target.quorum) this.#signal.wake();
      });
    }
    return SLEEP.unsubscribed;
  }
}

/** Random, so that callers that collided do not collide again. */
function collisionPause(collisions: number): number {
  return (
    machine.global.Math.random() *
    Math.min(ROUND_PAUSE.collision * 2 ** Math.min(collisions - 1, 8), ROUND_PAUSE.longestCollision)
  );
}
