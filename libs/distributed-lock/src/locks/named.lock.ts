import type { Lock, LockHandle, LockOptions, UsingOptions } from '../contracts/lock.contract.js';
import type { WaitTimes } from '../contracts/module.options.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { parseDuration } from '../timing/duration.parser.js';
import { checkSignal, checkUsing } from './call.checks.js';
import { criticalSection } from './critical.section.js';
import { SHORTEST_LEASE } from './grant.js';
import type { LockNames } from './lock.names.js';
import type { AcquireRequest, LockEngine } from './lock.engine.js';

/** The re-entrant lock: one holder at a time, which may take it again (wire format section 2). */
export class ReentrantLock implements Lock {
  constructor(
    private readonly engine: LockEngine,
    private readonly names: LockNames,
  ) {}

  get name(): string {
    return this.names.name;
  }

  lock(options: LockOptions = {}): Promise<LockHandle> {
    return this.#insist('lock', options);
  }

  async tryLock(options: LockOptions = {}): Promise<LockHandle | null> {
    const request = this.#request('tryLock', options);
    try {
      return await this.engine.acquire(this.names, request);
    } catch (error) {
      if (error instanceof LockNotAcquiredError && error.lock === this.name && error.code === 'NOT_ACQUIRED')
        return null;
      throw error;
    }
  }

  async using<T>(work: (handle: LockHandle) => T | PromiseLike<T>, options: UsingOptions = {}): Promise<T> {
    checkUsing(this.name, work, options.onLost);
    return await criticalSection(await this.#insist('using', options), work, options.onLost);
  }

  async isLocked(): Promise<boolean> {
    return (await this.engine.inspect(this.names)).ttl !== -2;
  }

  isHeld(): boolean {
    return this.engine.holdOf(this.names.key)?.isBelieved === true;
  }

  async getHoldCount(): Promise<number> {
    const hold = this.engine.holdOf(this.names.key);
    return hold === undefined ? 0 : (await this.engine.inspect(this.names, hold.lease.holder)).count;
  }

  async remainTimeToLive(): Promise<number> {
    return (await this.engine.inspect(this.names)).ttl;
  }

  async forceUnlock(): Promise<boolean> {
    return await this.engine.forceUnlock(this.names);
  }

  async #insist(door: 'lock' | 'using', options: LockOptions): Promise<LockHandle> {
    return await this.engine.acquire(this.names, this.#request(door, options));
  }

  #request(door: keyof WaitTimes, { waitTime, leaseTime, signal }: LockOptions): AcquireRequest {
    const lock = this.name;
    checkSignal(lock, signal);
    return {
      waitTime:
        waitTime === undefined
          ? this.engine.context.settings.waitTime[door]
          : parseDuration(waitTime, { option: 'waitTime', lock, unbounded: true }),
      leaseTime:
        leaseTime === undefined
          ? undefined
          : parseDuration(leaseTime, { option: 'leaseTime', lock, min: SHORTEST_LEASE }),
      signal,
    };
  }
}
