import { isTrue, type JavaCalls } from './java.calls.js';
import type { Timed } from './timed.js';

/** A count-down latch of Redisson in the hand of one Java thread. */
export class JavaLatch {
  constructor(
    private readonly owner: JavaCalls,
    private readonly name: string,
  ) {}

  async trySetCount(count: number): Promise<boolean> {
    return (await this.#call('trySetCount', count)).value === 'true';
  }

  /** @param within in ms. @returns whether it opened in time */
  async await(within: number): Promise<Timed<boolean>> {
    return isTrue(await this.#call('await', within));
  }

  countDown(): Promise<Timed<string>> {
    return this.#call('countDown');
  }

  async getCount(): Promise<number> {
    return Number((await this.#call('getCount')).value);
  }

  async delete(): Promise<Timed<boolean>> {
    return isTrue(await this.#call('delete'));
  }

  #call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    return this.owner.call(`latch.${verb}`, this.owner.client, this.name, ...words);
  }
}
