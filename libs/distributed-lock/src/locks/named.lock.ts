import type { Lock, LockHandle } from '../contracts/lock.contract.js';
import type { LockKindName } from '../events/lock.listener.js';
import { BaseLock } from './base.lock.js';
import type { HoldHandle } from '../holds/handle.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import type { AcquireRequest } from './reentry.js';

/** A lock by its name, of whatever kind its target is. */
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

/** One whose callers have nothing in hand but its grant. */
export class PlainLock extends NamedLock {
  protected acquire(request: AcquireRequest): Promise<HoldHandle> {
    return this.engine.acquire(this.target, request);
  }
}
