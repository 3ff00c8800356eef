import { ExclusiveLocalLock } from '../local/exclusive.lock.js';
import { FairLocalLock } from '../fair-lock/fair.lock.js';
import { SharedLocalLock } from '../local/shared.lock.js';
import type { LocalLockForm } from '../core/lock.kind.js';
import type { LockKinds } from '../core/lock.kinds.js';
import { LOSSES, type LossReason } from '../errors/loss.reasons.js';
import { currentFrame, isInside } from '../holds/hold.scope.js';
import type { LockState } from '../replies/lock.replies.js';
import { now } from '../timing/monotonic.clock.js';
import { CounterEngine } from '../counters/counter.engine.js';
import type { HoldHandle } from '../holds/handle.js';
import type { Hold } from '../holds/hold.js';
import { LocalLockRegistry, placeAt, type LocalLocks } from '../local/local.lock.registry.js';
import type { LockContext } from '../core/lock.context.js';
import { shuttingDown, unavailable } from '../core/unavailable.errors.js';
import type { LocalLock } from '../local/local.lock.js';
import { otherSideOf, type LockTarget } from '../core/lock.target.js';
import { NameRegistry } from '../core/name.registry.js';
import { IdReserves } from '../local/id.reserve.js';
import { QueuePlaces } from '../process-queue/queue.places.js';
import { Reentry, type AcquireRequest } from './reentry.js';

/** By the form of a kind: how the callers of this process share the lock. */
const FORMS = {
  exclusive: ExclusiveLocalLock,
  queued: FairLocalLock,
  shared: SharedLocalLock,
} satisfies Record<LocalLockForm, unknown>;

/** The locks of one module instance: finds the hold of the caller's scope, or the local lock to acquire. */
export class LockEngine {
  readonly names: NameRegistry;
  /** The semaphores and latches, which have no holder. */
  readonly counters: CounterEngine;
  /** The places of this process in the queues of locks. */
  readonly places: QueuePlaces;
  readonly #registry: LocalLockRegistry<LockTarget, LocalLock>;
  readonly #reentry: Reentry;
  #closing = false;

  constructor(readonly context: LockContext) {
    this.#registry = new LocalLockRegistry(
      context,
      (registry, target) => new FORMS[target.kind.form](registry, target),
    );
    this.places = new QueuePlaces({
      context,
      isHeld: (id) => (this.#registry.get(id)?.holds.length ?? 0) > 0,
      isWaitedFor: (id) => this.#registry.get(id)?.existingWaiters !== undefined,
      ended: (place) => this.#registry.get(place.target.id)?.leftQueue(place),
    });
    this.#registry.places = this.places;
    context.watchdog.onSuspended = () => this.#verifyHolds();
    // The registry may have forgotten that local lock by then, and its place may have ended.
    context.backgroundRelease.onCalled = (target, place) =>
      placeAt(this.#registry, target.queueTarget)?.watch(place);
    this.#registry.reserves = new IdReserves(context);
    this.names = new NameRegistry(context.settings);
    this.counters = new CounterEngine(context, this.names);
    this.#reentry = new Reentry(context, (target) => this.localLock(target));
  }

  /** A read of a hold that is in doubt makes a request to Redis, and ends the hold if it is gone. @returns whether there are such holds */
  #verifyHolds(): boolean {
    const holds = this.#registry.values().flatMap((lock) => lock.holds);
    return holds.filter(({ isBelieved }) => !isBelieved).length > 0;
  }

  /** Every lock that this process holds or waits for. */
  get localLocks(): LocalLocks<LocalLock> {
    return this.#registry;
  }

  /** @throws LockConfigurationError `INVALID_NAME`, `KIND_CONFLICT` */
  target(kind: keyof LockKinds, name: string): LockTarget {
    return this.names.target(this.context.kinds[kind], name);
  }

  /** The live hold of the caller's scope. */
  holdOf(target: LockTarget): Hold | undefined {
    return this.#reentry.holdOf(target.id);
  }

  /**
   * @throws LockNotAcquiredError when another holder has the lock until `waitTime` is over
   * @throws LockUnavailableError when Redis could not be reached, or the application shuts down
   * @throws LockConfigurationError when the caller's own hold makes the acquisition impossible
   */
  acquire(target: LockTarget, request: AcquireRequest): Promise<HoldHandle> {
    try {
      request.signal?.throwIfAborted();
      const reentry = currentFrame() === undefined ? undefined : this.#reentry.take(target, request);
      // A caller outside of any hold goes on in the same turn of the event loop.
      if (reentry === undefined) return this.#acquireOutside(target, request, request.waitTime);
      const end = now() + request.waitTime;
      // The time that a re-entry spent on a hold which ended meanwhile is used up.
      return reentry.then(
        (again) => again ?? this.#acquireOutside(target, request, Math.max(end - now(), 1)),
      );
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The local lock of a target; created on first use, removed when it has no holds and no waiters. */
  localLock(target: LockTarget): LocalLock {
    return this.#registry.getOrCreate(target);
  }

  /** Resolves when this process neither holds a lock nor waits for one. */
  async idle(): Promise<void> {
    await Promise.all([this.#registry.idle(), this.counters.idle()]);
  }

  async inspect(target: LockTarget, holder = ''): Promise<LockState> {
    try {
      return await target.kind.scripts.inspect(target.key, holder);
    } catch (error) {
      throw unavailable(target.name, error);
    }
  }

  async forceUnlock(target: LockTarget): Promise<boolean> {
    try {
      const loseHolds = this.holdersOf(target);
      const isFreed = await target.kind.scripts.forceRelease(target.key, target.channel);
      if (isFreed) loseHolds(LOSSES.forced);
      return isFreed;
    } catch (error) {
      throw unavailable(target.name, error);
    }
  }

  /**
   * The holders of a lock in this process, before Redis frees the lock by force.
   * @returns notifies these holders of the loss, with its reason
   */
  holdersOf(target: LockTarget): (reason: LossReason) => void {
    const leases = new Set(
      this.#localLocksOf(target).flatMap(({ holds }) => holds.map(({ lease }) => lease)),
    );
    return (reason) => {
      for (const lock of this.#localLocksOf(target)) lock.forceFreed(reason, leases);
    };
  }

  /** From now on a lock is granted only inside a scope that holds a lock; other waiters are refused. */
  refuseNewcomers(): void {
    this.#closing = true;
    this.counters.refuseNewcomers();
    for (const { target, existingWaiters } of this.localLocks.values())
      existingWaiters?.refuse(({ nested }) => (nested ? undefined : shuttingDown(target.name)));
  }

  /** The existing local locks of a target and of its other side. */
  #localLocksOf(target: LockTarget): LocalLock[] {
    return [target.id, otherSideOf(target)].flatMap((id) => this.localLocks.get(id ?? '') ?? []);
  }

  /** Acquires the lock for a caller without a hold. @param left the rest of the caller's time, in ms */
  #acquireOutside(target: LockTarget, request: AcquireRequest, left: number): Promise<HoldHandle> {
    const { waitTime, leaseTime, signal, watch } = request;
    const nested = currentFrame() !== undefined && isInside(this.context);
    if (this.#closing && !nested) throw shuttingDown(target.name);
    return this.localLock(target).acquire({
      leaseTime,
      signal,
      nested,
      waitTime: waitTime > 0 ? left : 0,
      watch,
    });
  }
}
