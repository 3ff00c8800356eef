import type { Duration } from '../contracts/duration.js';
import type { WorkResult } from '../contracts/lock.contract.js';
import type {
  PermitsOptions,
  Semaphore,
  TakenPermits,
  WaitOptions,
} from '../contracts/semaphore.contract.js';
import { AcquisitionWatch } from '../events/acquisition.watch.js';
import { LockNotAcquiredError } from '../errors/lock.errors.js';
import { semaphoreChannel } from '../scripts/wire.names.js';
import {
  checkCallOptions,
  checkPermits,
  checkUsing,
  readLife,
  readWait,
  type Wait,
} from '../core/call.checks.js';
import type { CounterEngine } from './counter.engine.js';
import { counterTarget, type CounterTarget } from '../core/counter.target.js';
import { leaveOnAbort } from '../waiters/cancellable.wait.js';
import { unavailable } from '../core/unavailable.errors.js';
import { PermitScope } from './permit.scope.js';
import { isTimeUp } from '../core/transient.refusal.js';
import { RecordedCalls } from './recorded.calls.js';
import type { LocalSemaphore } from './local.semaphore.js';
import { showAs } from '../objects/object.form.js';

/** The semaphore (wire format section 10). */
export class CountingSemaphore implements Semaphore {
  static {
    showAs(CountingSemaphore, ({ name }) => ({ type: 'Semaphore', name }));
  }

  readonly #engine: CounterEngine;
  readonly #target: CounterTarget;
  readonly #calls: RecordedCalls;

  /** @throws LockConfigurationError `INVALID_NAME` or `KIND_CONFLICT` */
  constructor(engine: CounterEngine, name: string) {
    this.#engine = engine;
    this.#target = counterTarget(name, engine.names.keyOf(name, 'semaphore'), semaphoreChannel);
    this.#calls = new RecordedCalls(engine.context, this.#target);
  }

  get name(): string {
    return this.#target.name;
  }

  async trySetPermits(permits: number, timeToLive?: Duration): Promise<boolean> {
    checkPermits(this.name, permits, 0);
    const ttl = readLife(this.name, timeToLive);
    return await this.#local.make(permits, ttl);
  }

  async acquire(permits = 1, options?: WaitOptions): Promise<void> {
    await this.#takeForGood(permits, this.#wait('lock', options));
  }

  async tryAcquire(permits = 1, options?: WaitOptions): Promise<boolean> {
    try {
      await this.#takeForGood(permits, this.#wait('tryLock', options));
      return true;
    } catch (error) {
      if (isTimeUp(error, this.name)) return false;
      throw error;
    }
  }

  async release(permits = 1): Promise<void> {
    checkPermits(this.name, permits, 1);
    await this.#local.add('release', permits);
  }

  async releaseIfExists(permits = 1): Promise<boolean> {
    checkPermits(this.name, permits, 1);
    return (await this.#local.add('release', permits, { where: 'existing' })).kind === 'added';
  }

  async using<T>(work: (taken: TakenPermits) => WorkResult<T>, options: PermitsOptions = {}): Promise<T> {
    checkCallOptions('permits', this.name, options);
    const { permits = 1 } = options;
    checkUsing(this.name, work, undefined);
    const wait = readWait(this.name, options, this.#engine.context.settings.waitTime.using);
    const watch = this.#attempt(permits);
    const taken = this.#take(permits, wait, watch);
    await (watch?.settle(taken, () => watch.acquired({})) ?? taken);
    // The local semaphore may be another one by now. It is kept as long as work runs under its permits.
    const local = this.#local;
    const scope = new PermitScope(local, permits, watch);
    return await new Promise<T>((resolve, reject) => {
      const worked = () => local.waiters.during(() => scope.run(work, resolve));
      this.#engine.during(scope, worked).then(resolve, reject);
    });
  }

  async availablePermits(): Promise<number> {
    try {
      return (await this.#scripts.inspect(this.#target.key)).permits;
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  async drainPermits(): Promise<number> {
    const { key } = this.#target;
    const send = (call: string) => this.#scripts.drain(key, call);
    return (await this.#calls.once(send, (call) => this.#local.undo(call))) ?? 0;
  }

  async addPermits(permits: number): Promise<void> {
    checkPermits(this.name, permits, -Infinity);
    await this.#local.add('change of permits', permits);
  }

  async delete(): Promise<boolean> {
    try {
      return await this.#scripts.delete(this.#target.key, false);
    } catch (error) {
      throw unavailable(this.name, error);
    }
  }

  /** Takes permits that have no owner from then on. */
  async #takeForGood(permits: number, wait: Wait): Promise<void> {
    const watch = this.#attempt(permits);
    const taken = this.#take(permits, wait, watch);
    await (watch?.settle(taken, () => watch.acquired({}, false)) ?? taken);
  }

  /** Undefined where there are no listeners. */
  #attempt(permits: number): AcquisitionWatch | undefined {
    checkPermits(this.name, permits, 1);
    const { events } = this.#engine.context.notices;
    if (!events.hasListeners) return undefined;
    return new AcquisitionWatch(events, { lock: this.name, kind: 'semaphore', isReentry: false });
  }

  async #take(
    permits: number,
    { waitTime, signal }: Wait,
    watch: AcquisitionWatch | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const nested = this.#engine.enter(this.name);
    const local = this.#local;
    if (waitTime > 0) {
      await local.waiters.wait({ permits, waitTime, signal, nested, leaseTime: undefined, watch });
      return;
    }
    const isTaken = await leaveOnAbort(local.try(permits), signal, async (late) => {
      if (late) local.giveBackLate(permits);
    });
    if (!isTaken) throw new LockNotAcquiredError(this.name, 0);
  }

  get #local(): LocalSemaphore {
    return this.#engine.semaphores.getOrCreate(this.#target);
  }

  get #scripts() {
    return this.#engine.context.counters.semaphore;
  }

  #wait(method: 'lock' | 'tryLock', options: WaitOptions | undefined): Wait {
    if (options !== undefined) checkCallOptions('wait', this.name, options);
    return readWait(this.name, options ?? {}, this.#engine.context.settings.waitTime[method]);
  }
}
