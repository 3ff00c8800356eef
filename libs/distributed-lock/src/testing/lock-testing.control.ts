import { lockServiceToken } from '../contracts/tokens.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { Hold } from '../holds/hold.js';
import type { LockEngine } from '../locks/lock.engine.js';
import { LOCK_OPENER } from '../module/lock.opener.js';
import { TickExplorer } from '../schedule/tick.explorer.js';
import type { LockService } from '../service/lock.service.js';
import { OtherHolders, type HeldByOther, type HoldByOptions } from './other.holder.js';
import type { MemoryInstance } from '../memory/memory.instance.js';
import { MemoryOpener } from './memory.opener.js';
import type { MemoryStore } from '../memory/memory.store.js';
import { advanceTicks, type AdvancedTick } from './tick.advance.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { showAs } from '../contracts/object.form.js';

/** A lock that somebody on the store holds. */
export interface HeldLock {
  /** The lock's name, without the module's prefix. */
  readonly name: string;
  /** "re-entrant lock", "fair lock", "read lock", … */
  readonly kind: string;
  /** The holder id. */
  readonly holder: string;
}

/** What is used of a Nest application, or of a testing module. */
export interface ProviderSource {
  /** The provider of a token. */
  get<T>(token: unknown, options: { strict: false; each?: boolean }): T;
}

/** What a test does to the locks of its module, and of all others on the same store. Inject it, or get it from the testing module. */
export class LockTestingControl {
  static {
    showAs(LockTestingControl, () => ({ type: 'LockTestingControl' }));
  }

  readonly #store: MemoryStore;
  readonly #instance: MemoryInstance;
  readonly #guests: OtherHolders;

  /** @internal */
  constructor(
    /** Where the locks are: give it to another module, which then competes with this one. */
    store: MemoryStore,
    instance: MemoryInstance,
  ) {
    this.#store = store;
    this.#instance = instance;
    store.instances.add(instance);
    this.#guests = new OtherHolders(store, instance.locks.settings);
  }

  /** Where the locks are. */
  get store(): MemoryStore {
    return this.#store;
  }

  /**
   * The controls of an application on locks in memory, also where `withTestingLocks()` put them in place of Redis. Each application
   * that competes for ticks needs them before `advanceTick()` of another one reaches it.
   * @param app initialised
   * @param name of a module instance. @default the unnamed one
   * @throws LockConfigurationError `NOT_BOUND` for an application on Redis
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
        'The locks of this application are not in memory: give its TestingModuleBuilder to withTestingLocks().',
      );
    const explorers = app.get<readonly TickExplorer[]>(TickExplorer, { strict: false, each: true });
    const crons = explorers.find((explorer) => explorer.locks === locks)?.crons ?? [];
    const instance = [...store.instances].find((each) => each.locks === locks) ?? { locks, crons };
    const control = new LockTestingControl(store, instance);
    locks.onceEnded(() => void control.onApplicationShutdown());
    return control;
  }

  /**
   * Takes the lock away from whoever holds it, as a lease that ran out does: `signal` aborts with a `LockLostError`,
   * `isHeld` is false, a release answers `lost`. Waiters get the lock at once.
   * @returns whether anybody held it
   */
  async loseLock(name: string): Promise<boolean> {
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
   * Has somebody else hold a lock: calls of this application are refused, or wait, until it is released.
   * @param holder any name; the same name is the same client
   * @throws LockNotAcquiredError when the lock is held
   */
  async holdBy(holder: string, name: string, options?: HoldByOptions): Promise<HeldByOther> {
    return await this.#guests.hold(holder, name, options);
  }

  /**
   * Runs the next tick of a `@Cron` method with `@DistributedLock` now, as its schedule would when its time comes: on every
   * instance of the store, of which one runs it. The time itself does not move; when the instant comes, its tick is taken.
   * @param job the job's name; without it the next tick of each job
   * @returns when the runs have ended: one row per job
   * @throws what the method throws; LockConfigurationError `INVALID_OPTION` for a job that no instance has
   */
  async advanceTick(job?: string): Promise<AdvancedTick[]> {
    return await advanceTicks(this.store, job);
  }

  /** Whether anybody on the store holds a lock of that name. */
  isHeld(name: string): boolean {
    return this.#holdsOf(name).length > 0;
  }

  /** What is held on the store: locks, permits, and the locks of running ticks. */
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

  /** Begins anew: every hold is lost, those of {@link holdBy} are released, and the store forgets everything, tick records too. */
  async reset(): Promise<void> {
    this.store.beginAnew();
    for (const { locks } of this.store.instances)
      for (const { localLocks } of enginesOf(locks))
        for (const lock of localLocks.values())
          lock.freedFor(LOSSES.resetByTest, new Set(lock.holds.map(({ lease }) => lease)));
    await this.#guests.close();
  }

  /** @internal A hook of Nest. */
  async onApplicationShutdown(): Promise<void> {
    this.store.instances.delete(this.#instance);
    await this.#guests.close();
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
