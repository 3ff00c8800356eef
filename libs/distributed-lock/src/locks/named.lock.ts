import type { FencedLockHandle, Lock, LockHandle } from '../contracts/lock.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockKindName } from '../events/lock.event.types.js';
import { BaseLock } from './base.lock.js';
import type { HoldHandle } from '../holds/handle.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import type { AcquireRequest } from './reentry.js';
import type { Watchable } from '../events/handle.watch.js';
import { FencedScripts } from '../scripts/fenced.scripts.js';
import { unavailable } from '../core/unavailable.errors.js';

/** A lock by its name, of any kind. */
export class NamedLock<H extends LockHandle = LockHandle> extends BaseLock<H> implements Lock<H> {
  readonly #engine: LockEngine;
  readonly #target: LockTarget;
  readonly #handleOf: (granted: Promise<HoldHandle>) => Promise<H & Watchable>;

  /** @param handleOf checks that a handle is what the lock promises: see {@link withToken} */
  constructor(
    engine: LockEngine,
    target: LockTarget,
    handleOf: (granted: Promise<HoldHandle>) => Promise<H & Watchable>,
  ) {
    super(engine.context);
    this.#engine = engine;
    this.#target = target;
    this.#handleOf = handleOf;
  }

  /** @internal */
  get engine(): LockEngine {
    return this.#engine;
  }

  /** @internal */
  get target(): LockTarget {
    return this.#target;
  }

  get name(): string {
    return this.#target.name;
  }

  protected get kind(): LockKindName {
    return this.#target.kind.id;
  }

  async isLocked(): Promise<boolean> {
    return (await this.#engine.inspect(this.#target)).isLocked;
  }

  isHeld(): boolean {
    return this.#engine.holdOf(this.#target)?.isBelieved === true;
  }

  async getHoldCount(): Promise<number> {
    const hold = this.#engine.holdOf(this.#target);
    return hold === undefined ? 0 : (await this.#engine.inspect(this.#target, hold.lease.holder)).count;
  }

  async remainTimeToLive(): Promise<number> {
    return (await this.#engine.inspect(this.#target)).ttl;
  }

  async forceUnlock(): Promise<boolean> {
    return await this.#engine.forceUnlock(this.#target);
  }

  /** Of a fenced lock (wire format section 8). */
  async getToken(): Promise<bigint | undefined> {
    const { kind, key, name } = this.#target;
    if (!(kind.scripts instanceof FencedScripts)) throw new TypeError(`a ${kind.name} has no tokens`);
    try {
      return await kind.scripts.currentToken(key);
    } catch (error) {
      throw unavailable(name, error);
    }
  }

  protected acquire(request: AcquireRequest): Promise<H & Watchable> {
    return this.#handleOf(this.#engine.acquire(this.#target, request));
  }
}

/** The handle of a fenced lock. */
export async function withToken(granted: Promise<HoldHandle>): Promise<FencedLockHandle & Watchable> {
  const handle = await granted;
  if (hasToken(handle)) return handle;
  // A lock of another kind whose name was forgotten since has handed its hold over: it must not stay held.
  await handle.unlock().catch(() => undefined);
  throw new LockConfigurationError(
    'KIND_CONFLICT',
    `"${handle.name}" is another kind of lock in this application, and cannot also be a fenced lock.`,
    handle.name,
  );
}

function hasToken(handle: HoldHandle): handle is HoldHandle & { readonly token: bigint } {
  return handle.token !== undefined;
}
