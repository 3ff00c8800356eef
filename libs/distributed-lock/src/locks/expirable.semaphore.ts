import type { Duration } from '../contracts/duration.js';
import type { LockHandle, LockOptions, UsingOptions, WorkResult } from '../contracts/lock.contract.js';
import type { PermitExpirableSemaphore } from '../contracts/semaphore.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { LOSSES } from '../errors/loss.reasons.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { PermitScripts } from '../scripts/permit.scripts.js';
import type { AddReply } from '../scripts/semaphore.scripts.js';
import { parseDuration } from '../options/option.checks.js';
import { checkPermits } from '../core/call.checks.js';
import { SHORTEST_LEASE } from '../holds/fixed.lease.js';
import type { Hold } from '../holds/hold.js';
import { unavailable } from '../core/unavailable.errors.js';
import type { LockEngine } from './lock.engine.js';
import type { LockTarget } from '../core/lock.target.js';
import { NamedLock } from './named.lock.js';
import { RecordedCalls } from '../counters/recorded.calls.js';
import { showAs } from '../objects/object.form.js';

/** The semaphore whose permits expire (wire format section 10): each permit is held like a lock that has room for more than one. */
export class ExpirableSemaphore implements PermitExpirableSemaphore {
  static {
    showAs(ExpirableSemaphore, ({ name }) => ({ type: 'PermitExpirableSemaphore', name }));
  }

  readonly #engine: LockEngine;
  readonly #target: LockTarget;
  readonly #lock: NamedLock;
  readonly #calls: RecordedCalls;

  constructor(engine: LockEngine, target: LockTarget) {
    this.#engine = engine;
    this.#target = target;
    this.#lock = new NamedLock(engine, target, (granted) => granted);
    this.#calls = new RecordedCalls(engine.context, target);
  }

  get name(): string {
    return this.#target.name;
  }

  acquire(options?: LockOptions): Promise<LockHandle> {
    return this.#lock.lock(options);
  }

  tryAcquire(options?: LockOptions): Promise<LockHandle | null> {
    return this.#lock.tryLock(options);
  }

  using<T>(work: (handle: LockHandle) => WorkResult<T>, options?: UsingOptions): Promise<T> {
    return this.#lock.using(work, options);
  }

  async trySetPermits(permits: number): Promise<boolean> {
    checkPermits(this.name, permits, 0);
    const { semaphore } = this.#engine.context.counters;
    const { key: name } = this.#target;
    const made = await this.#calls.once((call) =>
      semaphore.trySet({ name, call, permits, ttl: 0, expires: true }),
    );
    return made !== undefined;
  }

  async setPermits(permits: number): Promise<void> {
    checkPermits(this.name, permits, 0);
    await this.#request((scripts, key) => scripts.setPermits(key, permits));
  }

  async addPermits(permits: number): Promise<void> {
    checkPermits(this.name, permits, -Infinity);
    const { semaphore } = this.#engine.context.counters;
    const addition = { change: permits, payload: 'change' } as const;
    await this.#calls.retry<AddReply>('change of permits', (call, callback) =>
      semaphore.add(this.#target.key, call, addition, callback),
    );
  }

  async tryRelease(permitId: string): Promise<boolean> {
    this.#checkId(permitId);
    const hold = this.#holdOf(permitId);
    const reply = await this.#request(() => this.#target.release(permitId, 0, 1), hold && [hold]);
    this.#holdOf(permitId)?.lose(LOSSES.permitGivenBack);
    this.#engine.context.backgroundRelease.report(this.#target, reply);
    return reply.kind === 'released';
  }

  async updateLeaseTime(permitId: string, leaseTime: Duration): Promise<boolean> {
    this.#checkId(permitId);
    const lease = parseDuration(leaseTime, { option: 'leaseTime', lock: this.name, min: SHORTEST_LEASE });
    // The lease that this process counts on must not be longer than the one in Redis.
    const hold = this.#holdOf(permitId);
    return await this.#request((scripts, key) => {
      const update = () => scripts.updateLease(key, permitId, lease);
      return hold === undefined ? update() : hold.shorten(lease, update);
    });
  }

  async getLeaseTime(permitId: string): Promise<number> {
    this.#checkId(permitId);
    return (await this.#request((scripts, key) => scripts.readLease(key, permitId))) ?? -2;
  }

  async availablePermits(): Promise<number> {
    return (await this.#request((scripts, key) => scripts.permits(key))).available;
  }

  async acquiredPermits(): Promise<number> {
    return (await this.#request((scripts, key) => scripts.permits(key))).taken;
  }

  async getPermits(): Promise<number> {
    const { available, taken } = await this.#request((scripts, key) => scripts.permits(key));
    return available + taken;
  }

  async delete(): Promise<boolean> {
    const { semaphore } = this.#engine.context.counters;
    const loseHolds = this.#engine.holdersOf(this.#target);
    const isDeleted = await this.#request((_, key) => semaphore.delete(key, true), this.#holds);
    loseHolds(LOSSES.semaphoreDeleted);
    return isDeleted;
  }

  /** @param ending holds of this process that the request ends */
  async #request<T>(
    send: (scripts: PermitScripts, key: string) => Promise<T>,
    ending: readonly Hold[] = [],
  ): Promise<T> {
    const { kind, key, name } = this.#target;
    if (!(kind.scripts instanceof PermitScripts)) throw new TypeError(`a ${kind.name} has no permits`);
    try {
      return await send(kind.scripts, key);
    } catch (error) {
      const failure = RedisFailure.from(error);
      // Without an answer it may have run: the holds learn the truth at once, and not by their next renewal.
      const { watchdog } = this.#engine.context;
      if (failure.kind === 'ambiguous')
        void failure.settled.then(() => {
          for (const hold of ending) if (hold.isLive) void watchdog.renewNow(hold.lease, 0, hold);
        });
      throw unavailable(name, error);
    }
  }

  get #holds(): readonly Hold[] {
    return this.#engine.localLocks.get(this.#target.id)?.holds ?? [];
  }

  #holdOf(permitId: string): Hold | undefined {
    return this.#holds.find(({ lease }) => lease.holder === permitId);
  }

  #checkId(permitId: unknown): void {
    if (typeof permitId === 'string' && /^[0-9a-f]{32}$/.test(permitId)) return;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      `A permit id of "${this.name}" is 32 hex characters in lower case, not ${JSON.stringify(permitId)}.`,
      this.name,
    );
  }
}
