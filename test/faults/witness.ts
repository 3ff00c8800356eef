import type { Redis } from 'ioredis';
import type { Lock, LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { Random } from '../support/random.js';

/**
 * Looks at locks from outside, on a connection that is never cut: who believes in which lock, what Redis counts, and a
 * register that only the lock protects from lost updates.
 */
export class Witness {
  /** What must not be: two believers, a wrong hold count, a lost lease. */
  readonly faults: string[] = [];
  entered = 0;
  #reentered = 0;
  #late = 0;
  #left = 0;
  readonly #believers = new Map<string, LockHandle>();

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
  ) {}

  get summary(): string {
    return `${this.entered} entered, ${this.#left} at the second try, ${this.#reentered} re-entered, ${this.#late} unlocks without an answer in time`;
  }

  /** One critical section: takes the lock, sometimes once more inside, and adds 1 to the lock's register. */
  async watch(lock: Lock, random: Random): Promise<void> {
    const handle = await this.#acquire(lock, random);
    this.#begin(handle);
    await this.#count(handle, 1);
    if (random.below(2) === 0) {
      const inner = await handle.run(() => lock.lock());
      this.#reentered += 1;
      await this.#count(inner, 2);
      // Without an answer the count is brought down in the background.
      if (await this.#release(inner, 'kept')) await this.#count(handle, 1);
    }
    const register = this.#register(lock.name);
    await this.redis.set(register, Number(await this.redis.get(register)) + 1);
    if (!handle.isHeld) this.#fault(handle, 'lost its lease');
    this.#believers.delete(lock.name);
    await this.#release(handle, 'released');
  }

  /** With leases of two kinds, so that locks change hands in every way that there is, and sometimes only at the second try. */
  async #acquire(lock: Lock, random: Random): Promise<LockHandle> {
    const leaseTime = random.below(4) === 0 ? '60s' : undefined;
    if (random.below(4) === 0) {
      const handle = await lock.tryLock({ leaseTime, waitTime: random.below(10) }).catch(() => null);
      if (handle !== null) return handle;
      this.#left += 1;
    }
    return await lock.lock({ leaseTime });
  }

  /** The sum of all registers. */
  async registers(): Promise<number> {
    const names = await this.redis.keys(this.#register('*'));
    const values = await Promise.all(names.map((name) => this.redis.get(name)));
    return values.reduce((sum, value) => sum + Number(value), 0);
  }

  #begin(handle: LockHandle): void {
    this.entered += 1;
    const other = this.#believers.get(handle.name);
    if (other !== undefined) this.#fault(handle, `entered while ${other.holder} believed to have it`);
    this.#believers.set(handle.name, handle);
  }

  async #count(handle: LockHandle, expected: number): Promise<void> {
    const counts = await this.redis.hgetall(this.prefix + handle.name);
    const is = JSON.stringify(counts);
    if (is !== JSON.stringify({ [handle.holder]: `${expected}` }))
      this.#fault(handle, `is ${is}, not ${expected}`);
  }

  /** @returns whether there was an answer */
  async #release(handle: LockHandle, expected: string): Promise<boolean> {
    try {
      const outcome = await handle.unlock();
      if (outcome !== expected) this.#fault(handle, `was ${outcome} by its unlock, not ${expected}`);
      return true;
    } catch {
      this.#late += 1;
      return false;
    }
  }

  #fault({ name, holder }: LockHandle, what: string): void {
    this.faults.push(`${name}: ${holder} ${what}`);
  }

  #register(name: string): string {
    return `register:${name}`;
  }
}
