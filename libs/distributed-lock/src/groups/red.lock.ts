import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockKindName } from '../events/lock.event.types.js';
import type { Hold } from '../holds/hold.js';
import { currentFrame, isInside } from '../holds/hold.scope.js';
import { now } from '../timing/monotonic.clock.js';
import { BaseLock } from '../locks/base.lock.js';
import { leaveOnAbort } from '../waiters/cancellable.wait.js';
import { GroupHandle } from './group.handle.js';
import { LocalLockRegistry } from '../local/local.lock.registry.js';
import type { LockContext } from '../core/lock.context.js';
import { shuttingDown } from '../core/unavailable.errors.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockKind } from '../core/lock.kind.js';
import { isDoneWithin, shutDown } from '../locks/lock.shutdown.js';
import type { LockTarget } from '../core/lock.target.js';
import { isTransient } from '../core/transient.refusal.js';
import type { QuorumServer, QuorumTerms } from './quorum.contract.js';
import { majorityOf } from './quorum.tally.js';
import { LocalRedLock } from './local.red.lock.js';
import { RedUpkeep } from './red.upkeep.js';
import type { AcquireRequest } from '../locks/reentry.js';
import { LONGEST_ROUND_TRIP } from '../waiters/local.waiters.js';

/** Pause between attempts to re-enter while too few servers answer, in ms. */
const RETRY_PAUSE = 100;

/** The independent servers of a module instance, and its locks on them. */
export class RedLocks {
  readonly #registry: LocalLockRegistry<QuorumTerms & { readonly id: string }, LocalRedLock>;
  readonly #kinds = new Map<LockEngine, LockKind>();
  readonly #upkeep: RedUpkeep;
  #holder: string | undefined;
  #closing = false;

  constructor(
    readonly context: LockContext,
    readonly servers: readonly QuorumServer[],
    /** How long a server that has started is not counted, in ms. */
    private readonly restartDelay: number,
  ) {
    this.#upkeep = new RedUpkeep(context.wheel, context.settings.watchdogTimeout / 3);
    this.#registry = new LocalLockRegistry(context, (registry, terms) => new LocalRedLock(registry, terms));
    // An operator who inspects one of the servers sees the client, and as a rule the id, that the holder has on all of them.
    const holderIds = {
      next: () => this.#holder ?? context.ids.next(),
      brief: (holder: string) => context.ids.brief(holder),
      whole: (brief: string | number) => context.ids.whole(brief),
    };
    for (const { engine } of servers)
      this.#kinds.set(engine, {
        ...engine.context.kinds.reentrant,
        id: 'red',
        name: 'red lock',
        holderIds,
      });
  }

  /** How many callers of this process are waiting. */
  get waiters(): number {
    return this.#registry.values().reduce((sum, line) => sum + line.waiters.size, 0);
  }

  lock(name: string): RedLock {
    return new RedLock(this, name);
  }

  /** The lock's target on one of the servers. @throws LockConfigurationError `INVALID_NAME` */
  targetOn(engine: LockEngine, name: string): LockTarget {
    return engine.names.target(this.#kinds.get(engine) ?? engine.context.kinds.reentrant, name);
  }

  /** @throws LockConfigurationError `INVALID_OPTION` for a lease during which a server could forget the lock, and grant it anew */
  async acquire(name: string, request: AcquireRequest): Promise<GroupHandle> {
    const { leaseTime = 0, waitTime, signal } = request;
    this.#checkLease(name, leaseTime);
    signal?.throwIfAborted();
    const end = now() + waitTime;
    let left = waitTime;
    // In doubt, as after a suspend, it may be held: the scripts decide.
    if (this.#handleOf(name) !== undefined) {
      const again = await this.#reenter(name, request, end);
      if (again !== undefined) return again;
      left = Math.max(end - now(), 1);
    }
    const nested = this.servers.some(({ engine }) => isInside(engine.context));
    if (this.#closing && !nested) throw shuttingDown(name);
    const line = this.#waitersOf(name);
    if (waitTime === 0) return await line.try(request);
    return await line.waiters.wait({ ...request, waitTime: left, nested });
  }

  /** Whether the caller's scope holds the lock on enough servers. */
  isHeld(name: string): boolean {
    return this.#handleOf(name, ({ isBelieved }) => isBelieved) !== undefined;
  }

  /**
   * Waits for running work as a single server's shutdown does, on all servers at once.
   * @param left how long the work may go on, in ms
   */
  async shutDown(left: number): Promise<void> {
    this.#closing = true;
    this.#upkeep.end();
    for (const { target, waiters } of this.#registry.values())
      waiters.refuse(({ nested }) => (nested ? undefined : shuttingDown(target.name)));
    await Promise.all(this.servers.map(({ engine }) => shutDown(engine, left)));
    for (const { target, waiters } of this.#registry.values())
      waiters.refuse(() => shuttingDown(target.name));
    // A round that is under way gives back its grants.
    const { wheel, settings } = this.context;
    await isDoneWithin(settings.commandTimeout, this.#registry.idle(), wheel);
  }

  /** Waits, within its time limit, only for servers to answer. @returns undefined when the scope does not hold the lock any more */
  async #reenter(name: string, request: AcquireRequest, end: number): Promise<GroupHandle | undefined> {
    const { signal } = request;
    const { wheel } = this.context;
    for (;;) {
      const outer = this.#handleOf(name);
      if (outer === undefined) return undefined;
      const rest = end - now();
      try {
        const within = request.waitTime >= LONGEST_ROUND_TRIP && rest > 0 ? rest : Infinity;
        return await outer.enter(() => this.#waitersOf(name).try(request, within, outer));
      } catch (error) {
        signal?.throwIfAborted();
        // The lock was lost during the request: there is nothing left to re-enter.
        if (isTransient(error) && this.#handleOf(name) === undefined) return undefined;
        if (!isTransient(error) || now() + RETRY_PAUSE >= end) throw error;
        await leaveOnAbort(wheel.pause(RETRY_PAUSE), signal, () => undefined);
      }
    }
  }

  /**
   * The innermost handle around the caller in whose scope the lock is held. That handle has also the servers that granted the
   * lock after the caller's own scope was opened, and can then do without some of the first.
   */
  #handleOf(name: string, counts: (hold: Hold) => boolean = () => true): GroupHandle | undefined {
    const isHeldHere = () => {
      const holds = this.servers.map(({ engine }) => engine.holdOf(this.targetOn(engine, name)));
      return holds.filter((hold) => hold !== undefined && counts(hold)).length >= this.#quorum;
    };
    for (let frame = currentFrame(); frame !== undefined; frame = frame.around) {
      const { handle } = frame;
      if (handle instanceof GroupHandle && handle.name === name && handle.enter(isHeldHere)) return handle;
    }
    return undefined;
  }

  get #quorum(): number {
    return majorityOf(this.servers.length);
  }

  #waitersOf(name: string): LocalRedLock {
    return this.#registry.getOrCreate({
      id: name,
      name,
      quorum: this.#quorum,
      servers: this.servers,
      targetOn: (engine) => this.targetOn(engine, name),
      asOneHolder: (sendAll) => this.#asOneHolder(sendAll),
      upkeep: this.#upkeep,
      freed: () => this.#registry.get(name)?.freed(),
      lost: (holder, why) => {
        this.context.notices.post({ kind: 'lost', lock: name, holder, why });
        this.#registry.get(name)?.freed();
      },
      bounds: {
        spare: this.servers.length - this.#quorum,
        checkLease: (lease) => this.#checkLease(name, lease),
      },
    });
  }

  /** Only for this turn: a later request, for whatever reason, must not get the same holder id. */
  #asOneHolder(sendAll: () => void): void {
    this.#holder = this.context.ids.next();
    try {
      sendAll();
    } finally {
      this.#holder = undefined;
    }
  }

  #checkLease(name: string, lease: number): void {
    if (this.restartDelay === 0 || lease <= this.restartDelay) return;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `leaseTime of red lock "${name}" must not be longer than redLock.restartDelay (${this.restartDelay} ms).`,
      name,
    );
  }
}

/** A lock on the majority of several independent servers (wire format section 9). */
export class RedLock extends BaseLock {
  readonly #locks: RedLocks;
  constructor(
    locks: RedLocks,
    readonly name: string,
  ) {
    super(locks.context);
    this.#locks = locks;
    for (const { engine } of locks.servers) locks.targetOn(engine, name);
  }

  protected get kind(): LockKindName {
    return 'red';
  }

  isHeld(): boolean {
    return this.#locks.isHeld(this.name);
  }

  protected acquire(request: AcquireRequest): Promise<GroupHandle> {
    return this.#locks.acquire(this.name, request);
  }
}
