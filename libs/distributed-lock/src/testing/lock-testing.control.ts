import { lockServiceToken } from '../contracts/tokens.js';
import { unavailable } from '../core/unavailable.errors.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { Hold } from '../holds/hold.js';
import type { LockEngine } from '../locks/lock.engine.js';
import { LOCK_OPENER } from '../module/lock.opener.js';
import { TickExplorer } from '../scheduled-methods/tick.explorer.js';
import type { LockService } from '../service/lock.service.js';
import { OtherHolders, type HeldByOther, type HoldByOptions } from './other.holder.js';
import type { MemoryInstance } from '../memory/memory.instance.js';
import { MemoryOpener } from './memory.opener.js';
import type { MemoryStore } from '../memory/memory.store.js';
import { advanceTicks, type AdvancedTick } from './tick.advance.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { showAs } from '../objects/object.form.js';

/** A lock of the store that is held. */
export interface HeldLock {
  /** The name of the lock, without the prefix of the module. */
  readonly name: string;
  /** The kind of the lock in words: "re-entrant lock", "fair lock", "read lock", … */
  readonly kind: string;
  /** The holder id. */
  readonly holder: string;
}

/** A Nest application, or a testing module of `@nestjs/testing`. Only `get()` is called. */
export interface ProviderSource {
  /** Returns the provider with this token. */
  get<T>(token: unknown, options: { strict: false; each?: boolean }): T;
}

/**
 * Controls the locks of its module, and of all modules with the same store. Inject it, or get it from the
 * testing module.
 */
export class LockTestingControl {
  static {
    showAs(LockTestingControl, () => ({ type: 'LockTestingControl' }));
  }

  readonly #store: MemoryStore;
  readonly #instance: MemoryInstance;
  readonly #otherHolders: OtherHolders;

  /** @internal */
  constructor(
    /** The store of the locks. */
    store: MemoryStore,
    instance: MemoryInstance,
  ) {
    this.#store = store;
    this.#instance = instance;
    store.instances.add(instance);
    this.#otherHolders = new OtherHolders(store, instance.locks.settings);
  }

  /**
   * The store of the locks. Pass it to another testing module to let both modules compete for the same locks.
   */
  get store(): MemoryStore {
    return this.#store;
  }

  /**
   * Returns the control of an application with locks in memory: one that imports `DistributedLockTestingModule`, or
   * was built with `withTestingLocks()`. If several applications of `withTestingLocks()` share a store, call
   * `LockTestingControl.of()` for each of them: `advanceTick()` does not reach the others.
   * @param app the application, after `init()`
   * @param name the `name` of the module instance. @default the unnamed instance
   * @throws LockConfigurationError `NOT_BOUND` if the locks of the application are in Redis
   * @throws UnknownElementException of Nest if there is no module instance with this `name`
   */
  static of(app: ProviderSource, name?: string): LockTestingControl {
    const locks = app.get<LockService>(lockServiceToken(name), { strict: false });
    const openers = app.get<readonly unknown[]>(LOCK_OPENER, { strict: false, each: true });
    const stores = openers.map((opener) =>
      opener instanceof MemoryOpener ? opener.storeOf(locks) : undefined,
    );
    const store = stores.find((each) => each !== undefined);
    if (store === undefined)
      throw new LockConfigurationError(
        'NOT_BOUND',
        'The locks of this application are not in memory.',
        undefined,
        undefined,
        'Pass its TestingModuleBuilder to withTestingLocks(), or import DistributedLockTestingModule.',
      );
    const explorers = app.get<readonly TickExplorer[]>(TickExplorer, { strict: false, each: true });
    const crons = explorers.find((explorer) => explorer.locks === locks)?.crons ?? [];
    const instance = [...store.instances].find((each) => each.locks === locks) ?? { locks, crons };
    const control = new LockTestingControl(store, instance);
    locks.onceEnded(() => void control.onApplicationShutdown());
    return control;
  }

  /**
   * Takes the lock away from its holders, as if the lease had ended: `signal` aborts with a `LockLostError`,
   * `isHeld` is `false`, and `unlock()` returns `lost`. The next waiter acquires the lock at once.
   * @returns whether the lock was held
   * @throws LockUnavailableError between {@link disconnect} and {@link reconnect}
   */
  async loseLock(name: string): Promise<boolean> {
    const { connection } = this.store;
    if (!connection.isOpen) throw unavailable(name, connection.failure);
    const holds = this.#holdsOf(name);
    for (const { hold } of holds) hold.lose(LOSSES.lostByTest);
    await Promise.all(
      holds.map(async ({ engine, hold }) => {
        const { target, lease } = hold;
        if (target.kind.family === 'permit-expirable semaphore') await target.release(lease.holder, 0, 1);
        else await engine.forceUnlock(target);
      }),
    );
    return holds.length > 0;
  }

  /**
   * Acquires a lock for another holder, so that the lock is busy for this application until `release()`.
   * @param holder any id of the other holder; calls with the same id act as one client
   * @throws LockNotAcquiredError if another holder still has the lock when `waitTime` ends
   * @throws LockConfigurationError `INVALID_OPTION` for an invalid option; `INVALID_NAME` or `KIND_CONFLICT`
   */
  async holdBy(holder: string, name: string, options?: HoldByOptions): Promise<HeldByOther> {
    return await this.#otherHolders.hold(holder, name, options);
  }

  /**
   * Runs the next tick of a `@Cron` method with `@DistributedLock` now. All applications on the store claim the tick,
   * and one of them runs it. An application of `withTestingLocks()` takes part only after `LockTestingControl.of()`
   * was called for it. The clock does not change; at the real time of the tick, the tick does not run again. If a run
   * waits (a crashed or handed-over one with `onCrash: 'retry'`, a queued tick, or a request by `runNow()`), the call
   * runs it in place of the next tick. To make a run crash, call {@link loseLock} with the key of the job while it
   * runs.
   * @param job the key of the job. @default every job of a `@Cron` method
   * @returns one result for each job, when the runs have ended
   * @throws LockConfigurationError `INVALID_OPTION` if no instance has the job
   * @throws the error of the method, if the run fails
   */
  async advanceTick(job?: string): Promise<AdvancedTick[]> {
    return await advanceTicks(this.store, job);
  }

  /** Whether a lock with this name is held, by any holder on the store. */
  isHeld(name: string): boolean {
    return this.#holdsOf(name).length > 0;
  }

  /** Returns everything that is held on the store: locks, permits, and the locks of running ticks. */
  held(): HeldLock[] {
    return [...this.store.instances].flatMap(({ locks }) => {
      const [first, ...servers] = enginesOf(locks).map((engine) => holdsIn(engine));
      // A red lock has a hold on each of its servers.
      const red = new Map(servers.flat().map((hold) => [hold.id, hold]));
      return [...(first ?? []), ...red.values()].map(({ target, lease }) => ({
        name: target.name,
        kind: target.kind.name,
        holder: lease.holder,
      }));
    });
  }

  /**
   * Cuts the connection between the store and all applications that use it, until {@link reconnect}. They behave as
   * they do while Redis is down: a call is refused with a `LockUnavailableError` (`UNAVAILABLE`) when its `waitTime`
   * ends (see `LockOptions.waitTime`), locks are lost when their leases end, and no tick runs. {@link holdBy} still
   * acquires locks, like an instance that reaches Redis. Call {@link reconnect} before you close an application that
   * holds locks: its shutdown tries to release them.
   */
  disconnect(): void {
    this.store.disconnect();
  }

  /** Ends {@link disconnect}: renewals go on, and waiters request their locks again. */
  reconnect(): void {
    this.store.reconnect();
  }

  /**
   * Resets the store between two tests, and ends {@link disconnect}: the locks of all applications are lost, the
   * locks of {@link holdBy} are released, and all data is deleted, including tick records.
   */
  async reset(): Promise<void> {
    this.store.beginAnew();
    for (const { locks } of this.store.instances)
      for (const { localLocks } of enginesOf(locks))
        for (const lock of localLocks.values())
          lock.forceFreed(LOSSES.resetByTest, new Set(lock.holds.map(({ lease }) => lease)));
    await this.#otherHolders.close();
  }

  /** @internal A hook of Nest. */
  async onApplicationShutdown(): Promise<void> {
    this.store.instances.delete(this.#instance);
    await this.#otherHolders.close();
  }

  /** By the name in the store: modules may differ in their prefixes. */
  #holdsOf(name: string): { readonly engine: LockEngine; readonly hold: Hold }[] {
    const key = this.#instance.locks.settings.mapName(name);
    return [...this.store.instances].flatMap(({ locks }) =>
      enginesOf(locks).flatMap((engine) =>
        holdsIn(engine)
          .filter(({ target }) => target.key === key)
          .map((hold) => ({ engine, hold })),
      ),
    );
  }
}

/** Its own, and those of the servers of red locks. */
function enginesOf({ engine, red }: LockService): LockEngine[] {
  return [engine, ...(red?.servers.map((server) => server.engine) ?? [])];
}

function holdsIn({ localLocks }: LockEngine): Hold[] {
  return localLocks.values().flatMap(({ holds }) => holds.filter((hold) => hold.isLive));
}
