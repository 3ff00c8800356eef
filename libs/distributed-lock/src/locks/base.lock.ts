import type {
  Lockable,
  LockHandle,
  LockOptions,
  UsingOptions,
  WorkResult,
} from '../contracts/lock.contract.js';
import type { WaitTimes } from '../contracts/module.options.js';
import { AcquisitionWatch } from '../events/acquisition.watch.js';
import type { Watchable } from '../events/handle.watch.js';
import type { LockEvents } from '../events/lock.events.js';
import type { LockKindName } from '../events/lock.event.types.js';
import { parseDuration } from '../options/option.checks.js';
import { checkCallOptions, checkUsing, readWait } from '../core/call.checks.js';
import { criticalSection } from './critical.section.js';
import { SHORTEST_LEASE } from '../holds/fixed.lease.js';
import type { LockContext } from '../core/lock.context.js';
import { isTimeUp } from '../core/transient.refusal.js';
import type { AcquireRequest } from './reentry.js';
import { showAs } from '../objects/object.form.js';

const NONE: LockOptions = {};

/** The methods that acquire any lock, single or composed. */
export abstract class BaseLock<H extends LockHandle = LockHandle> implements Lockable<H> {
  static {
    showAs(BaseLock, ({ name, kind }) => ({ type: 'Lock', name, kind }));
  }

  readonly #context: Pick<LockContext, 'notices' | 'settings'>;
  abstract readonly name: string;

  protected constructor(context: Pick<LockContext, 'notices' | 'settings'>) {
    this.#context = context;
  }

  /** For events. */
  protected abstract get kind(): LockKindName;

  abstract isHeld(): boolean;

  /** Acquires the lock with the terms of `request`, or rejects. */
  protected abstract acquire(request: AcquireRequest): Promise<H & Watchable>;

  // None of these is an async function: one more promise costs memory for as long as its caller waits, and time.

  lock(options?: LockOptions): Promise<H> {
    return this.#take('lock', options);
  }

  tryLock(options?: LockOptions): Promise<H | null> {
    return this.#take('tryLock', options).catch((error: unknown) => {
      if (isTimeUp(error, this.name)) return null;
      throw error;
    });
  }

  using<T>(work: (handle: H) => WorkResult<T>, options?: UsingOptions): Promise<T> {
    try {
      if (options !== undefined) checkCallOptions('using', this.name, options);
      const onLost = options?.onLost;
      checkUsing(this.name, work, onLost);
      return criticalSection(this.#acquireFor('using', options), work, onLost);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #take(method: keyof WaitTimes, options: LockOptions | undefined): Promise<H> {
    try {
      if (options !== undefined) checkCallOptions('lock', this.name, options);
      return this.#acquireFor(method, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #acquireFor(method: keyof WaitTimes, options: LockOptions = NONE): Promise<H> {
    try {
      const request = this.#request(method, options);
      const { events } = this.#context.notices;
      return events.hasListeners ? this.#watched(request, events) : this.acquire(request);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #watched(request: AcquireRequest, events: LockEvents): Promise<H> {
    const { kind, name } = this;
    // A holder of a permit that requests the semaphore again gets another permit.
    const isReentry = kind !== 'permit' && this.isHeld();
    const watch = new AcquisitionWatch(events, { lock: name, kind, isReentry });
    const { waitTime, leaseTime, signal } = request;
    return watch.follow(this.acquire({ waitTime, leaseTime, signal, watch }));
  }

  #request(method: keyof WaitTimes, options: LockOptions): AcquireRequest {
    const lock = this.name;
    const { waitTime, signal } = readWait(lock, options, this.#context.settings.waitTime[method]);
    const { leaseTime } = options;
    if (leaseTime === undefined) return { waitTime, signal, leaseTime };
    const bounds = { option: 'leaseTime', lock, min: SHORTEST_LEASE };
    return { waitTime, signal, leaseTime: parseDuration(leaseTime, bounds) };
  }
}
