import { prefixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import { until } from '../support/until.js';
import type { Observer } from './observer.js';

/** The queue of a fair lock as it is in Redis, from neither side. */
export class FairView {
  readonly #queue: string;
  readonly #timeout: string;

  constructor(
    private readonly observer: Observer,
    readonly name: string,
  ) {
    this.#queue = prefixName('redisson_lock_queue', name);
    this.#timeout = prefixName('redisson_lock_timeout', name);
  }

  /** The waiting holders, the next one first. */
  queue(): Promise<string[]> {
    return this.observer.redis.lrange(this.#queue, 0, -1);
  }

  /** When each of them gives up, in epoch ms, in the order of their places; NaN for one that has no time. */
  async times(): Promise<number[]> {
    const { redis } = this.observer;
    const rows = await redis
      .multi()
      .lrange(this.#queue, 0, -1)
      .zrange(this.#timeout, 0, '-1', 'WITHSCORES')
      .exec();
    const [holders = [], scores = []] = (rows ?? []).map(([, reply]) => [reply].flat(2).map(String));
    return holders.map((holder) => Number(scores[scores.indexOf(holder) + 1] ?? NaN));
  }

  /** Waits until that many stand in the queue. */
  async grows(length: number): Promise<void> {
    await until(`${length} stand in the queue`, async () => (await this.queue()).length === length);
  }

  /** Puts somebody in front of all others who has no time, as a client that died halfway would. */
  async haunt(ghost: string): Promise<void> {
    await this.observer.redis.lpush(this.#queue, ghost);
  }
}
