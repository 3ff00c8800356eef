import type { Lock, LockHandle, FencedLock, FencedLockHandle } from '../contracts/lock.contract.js';
import type { LockKindName } from '../events/lock.listener.js';
import { BaseLock } from './base.lock.js';
import type { HoldHandle } from '../holds/handle.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import type { AcquireRequest } from './reentry.js';
import type { Watchable } from '../events/handle.watch.js';
import { FencedScripts } from '../scripts/fenced.scripts.js';
import { unavailable } from '../core/lock.context.js';

/** A lock by its name, of any kind. */
export abstract class NamedLock<H extends LockHandle = LockHandle> extends BaseLock<H> implements Lock<H> {
  readonly #engine: LockEngine;
  readonly #target: LockTarget;
  constructor(engine: LockEngine, target: LockTarget) {
    super(engine.context);
    this.#engine = engine;
    this.#target = target;
  }

  get engine(): LockEngine {
    return this.#engine;
  }

  get target(): LockTarget {
    return this.#target;
  }

  get name(): string {
    return this.target.name;
  }

  protected get kind(): LockKindName {
    return this.target.kind.id;
  }

  async isLocked(): Promise<boolean> {
    return (await this.engine.inspect(this.target)).isLocked;
  }

  isHeld(): boolean {
    return this.engine.holdOf(this.target)?.isBelieved === true;
  }

  async getHoldCount(): Promise<number> {
    const hold = this.engine.holdOf(this.target);
    return hold === undefined ? 0 : (await this.engine.inspect(this.target, hold.lease.holder)).count;
  }

  async remainTimeToLive(): Promise<number> {
    return (await this.engine.inspect(this.target)).ttl;
  }

  async forceUnlock(): Promise<boolean> {
    return await this.engine.forceUnlock(this.target);
  }
}

/** A lock whose handle has no fencing token. */
export class PlainLock extends NamedLock {
  protected acquire(request: AcquireRequest): Promise<HoldHandle> {
    return this.engine.acquire(this.target, request);
  }
}

/** A lock with fencing tokens (wire format section 8). */
export class TokenLock extends NamedLock<FencedLockHandle> implements FencedLock {
  async getToken(): Promise<bigint | undefined> {
    const { scripts, name } = this.target.kind;
    if (!(scripts instanceof FencedScripts)) throw new TypeError(`a ${name} has no tokens`);
    try {
      return await scripts.currentToken(this.target.key);
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  protected acquire(request: AcquireRequest): Promise<FencedLockHandle & Watchable> {
    return this.engine.acquire(this.target, request).then(withToken);
  }
}

function withToken(grant: HoldHandle): FencedLockHandle & Watchable {
  if (!hasToken(grant)) throw new TypeError(`a grant of "${grant.name}" came without a token`);
  return grant;
}

function hasToken(grant: HoldHandle): grant is HoldHandle & { readonly token: bigint } {
  return grant.token !== undefined;
}
