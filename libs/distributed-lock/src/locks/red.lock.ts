import type { LockHandle } from '../contracts/lock.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { isInside } from '../holders/hold.scope.js';
import { BaseLock } from './base.lock.js';
import { LineBook } from './line.book.js';
import { shuttingDown, type LockContext } from './lock.context.js';
import type { LockEngine } from './lock.engine.js';
import { shutDown } from './lock.shutdown.js';
import type { LockTarget } from './lock.target.js';
import type { QuorumServer, QuorumWish } from './quorum.round.js';
import { RedLine } from './red.line.js';
import type { AcquireRequest } from './reentry.js';

/** The independent servers of a module instance, and its locks on them. */
export class RedLocks {
  readonly #book: LineBook<QuorumWish & { readonly id: string }, RedLine>;
  #closing = false;

  constructor(
    readonly context: LockContext,
    readonly servers: readonly QuorumServer[],
    /** How long a server that has started is not counted, in ms. */
    private readonly restartDelay: number,
  ) {
    this.#book = new LineBook((wish, idle) => new RedLine(context, wish.id, wish, idle));
  }

  lock(name: string): RedLock {
    return new RedLock(this, name);
  }

  /** The lock's target on one of the servers. @throws LockConfigurationError `INVALID_NAME` */
  targetOn(engine: LockEngine, name: string): LockTarget {
    return engine.target(engine.context.kinds.reentrant, name);
  }

  /** @throws LockConfigurationError `INVALID_OPTION` for a lease that a server could forget, and grant anew, while it lasts */
  async acquire(name: string, request: AcquireRequest): Promise<LockHandle> {
    const { leaseTime = 0, waitTime } = request;
    if (this.restartDelay > 0 && leaseTime > this.restartDelay) {
      throw new LockConfigurationError(
        'INVALID_OPTION',
        `leaseTime of red lock "${name}" must not be longer than redLock.restartDelay (${this.restartDelay} ms).`,
        name,
      );
    }
    const nested = this.servers.some(({ engine }) => isInside(engine.context));
    if (this.#closing && !nested) throw shuttingDown(name);
    const line = this.#book.line(this.#wish(name));
    // A scope that holds it re-enters here and now: waiting would be for itself.
    if (waitTime === 0 || this.isHeld(name)) return await line.try(request);
    return await line.wait({ ...request, nested });
  }

  /** Whether the caller's scope holds the lock on enough servers. */
  isHeld(name: string): boolean {
    const held = this.servers.filter(
      ({ engine }) => engine.holdOf(this.targetOn(engine, name))?.isBelieved === true,
    );
    return held.length >= this.#quorum;
  }

  /** Waits for running work as a single server's shutdown does, on all servers at once. */
  async shutDown(): Promise<void> {
    this.#closing = true;
    for (const line of this.#book.lines.values())
      line.refuse(({ nested }) => (nested ? undefined : shuttingDown(line.name)));
    await Promise.all(this.servers.map(({ engine }) => shutDown(engine)));
    for (const line of this.#book.lines.values()) line.refuse(() => shuttingDown(line.name));
  }

  get #quorum(): number {
    return Math.floor(this.servers.length / 2) + 1;
  }

  #wish(name: string): QuorumWish & { readonly id: string } {
    const targetOn = (engine: LockEngine) => this.targetOn(engine, name);
    return { id: name, name, quorum: this.#quorum, servers: this.servers, targetOn };
  }
}

/** A lock on the majority of several independent servers (wire format section 9). */
export class RedLock extends BaseLock {
  constructor(
    private readonly locks: RedLocks,
    readonly name: string,
  ) {
    super(locks.context.settings);
    for (const { engine } of locks.servers) locks.targetOn(engine, name);
  }

  isHeld(): boolean {
    return this.locks.isHeld(this.name);
  }

  protected acquire(request: AcquireRequest): Promise<LockHandle> {
    return this.locks.acquire(this.name, request);
  }
}
