import type {
  Lock,
  LockHandle,
  LockOptions,
  UsingOptions,
  WorkResult,
} from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { PermitExpirableSemaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { LockTarget } from '../../libs/distributed-lock/src/core/lock.target.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';

/** A semaphore of one permit is a lock: whoever has the permit has it. */
export class PermitLock implements Lock {
  readonly #permits: PermitExpirableSemaphore;
  readonly #target: LockTarget;

  constructor(
    private readonly service: LockService,
    readonly name: string,
  ) {
    this.#permits = service.getPermitExpirableSemaphore(name);
    this.#target = service.engine.names.target(service.engine.context.kinds.permit, name);
  }

  lock(options?: LockOptions): Promise<LockHandle> {
    return this.#permits.acquire(options);
  }

  tryLock(options?: LockOptions): Promise<LockHandle | null> {
    return this.#permits.tryAcquire(options);
  }

  using<T>(work: (handle: LockHandle) => WorkResult<T>, options?: UsingOptions): Promise<T> {
    return this.#permits.using(work, options);
  }

  isHeld(): boolean {
    return this.service.engine.holdOf(this.#target)?.isBelieved === true;
  }

  async isLocked(): Promise<boolean> {
    return (await this.#permits.acquiredPermits()) === 1;
  }

  async getHoldCount(): Promise<number> {
    return this.isHeld() ? await this.#permits.acquiredPermits() : 0;
  }

  async remainTimeToLive(): Promise<number> {
    return (await this.#permits.acquiredPermits()) === 0
      ? -2
      : (await this.service.engine.inspect(this.#target)).ttl;
  }

  async forceUnlock(): Promise<boolean> {
    const { holder } = await this.service.engine.inspect(this.#target);
    return holder === undefined ? false : await this.#permits.tryRelease(holder);
  }
}
