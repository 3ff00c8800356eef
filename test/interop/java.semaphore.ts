import { given, isTrue, type JavaCalls } from './java.calls.js';
import type { Timed } from './timed.js';

/** A semaphore of Redisson in the hand of one Java thread. Times are in ms. */
export class JavaSemaphore {
  constructor(
    private readonly owner: JavaCalls,
    private readonly name: string,
  ) {}

  async trySetPermits(permits: number): Promise<boolean> {
    return (await this.#call('trySetPermits', permits)).value === 'true';
  }

  acquire(permits = 1): Promise<Timed<string>> {
    return this.#call('acquire', permits);
  }

  async tryAcquire(permits = 1, wait?: number): Promise<Timed<boolean>> {
    return isTrue(await this.#call('tryAcquire', permits, ...given(wait)));
  }

  release(permits = 1): Promise<Timed<string>> {
    return this.#call('release', permits);
  }

  async addPermits(delta: number): Promise<void> {
    await this.#call('addPermits', delta);
  }

  async drain(): Promise<number> {
    return Number((await this.#call('drain')).value);
  }

  async available(): Promise<number> {
    return Number((await this.#call('available')).value);
  }

  #call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    return this.owner.call(`sem.${verb}`, this.owner.client, this.name, ...words);
  }
}

/** A semaphore of Redisson whose permits have an id and may expire, in the hand of one Java thread. Times are in ms. */
export class JavaExpirable {
  constructor(
    private readonly owner: JavaCalls,
    private readonly name: string,
  ) {}

  async trySetPermits(permits: number): Promise<boolean> {
    return (await this.#call('trySetPermits', permits)).value === 'true';
  }

  async addPermits(delta: number): Promise<void> {
    await this.#call('addPermits', delta);
  }

  /** @param lease without one the permit never expires. @returns the permit's id */
  acquire(lease?: number): Promise<Timed<string>> {
    return this.#call('acquire', ...given(lease));
  }

  /** @returns the permit's id, or '' when there was none in time */
  tryAcquire(wait: number, lease?: number): Promise<Timed<string>> {
    return this.#call('tryAcquire', wait, ...given(lease));
  }

  /** @throws JavaError for an id that is not known (any more) */
  release(id: string): Promise<Timed<string>> {
    return this.#call('release', id);
  }

  async tryRelease(id: string): Promise<boolean> {
    return (await this.#call('tryRelease', id)).value === 'true';
  }

  async available(): Promise<number> {
    return Number((await this.#call('available')).value);
  }

  async acquired(): Promise<number> {
    return Number((await this.#call('acquired')).value);
  }

  async updateLease(id: string, lease: number): Promise<boolean> {
    return (await this.#call('updateLease', id, lease)).value === 'true';
  }

  /** What is left of a permit's lease; -1: it never expires. */
  async leaseLeft(id: string): Promise<number> {
    return Number((await this.#call('leaseLeft', id)).value);
  }

  #call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    return this.owner.call(`exp.${verb}`, this.owner.client, this.name, ...words);
  }
}
