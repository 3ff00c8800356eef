import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { machineTime, type RunnerEvent, type Stamped } from './history.js';

/** The pace, in ms. */
const PACE = 50;

/** Looks into Redis from outside, on a way that no fault stands in: who has which lock. */
export class StoreObserver {
  readonly seen: Stamped<RunnerEvent>[] = [];
  readonly #redis: Redis;
  #isOver = false;
  #done: Promise<void> | undefined;

  constructor(
    url: string,
    private readonly prefix: string,
    private readonly locks: readonly string[],
  ) {
    this.#redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 1000,
    });
    // That it goes away is what this is about.
    this.#redis.on('error', () => undefined);
  }

  start(): void {
    this.#done = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    this.#redis.disconnect();
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await this.#look().catch(() => undefined);
      await sleep(PACE);
    }
  }

  async #look(): Promise<void> {
    const questions = this.#redis.pipeline();
    for (const lock of this.locks)
      if (lock.startsWith('permit-')) questions.zrangeBuffer(`{${this.prefix}${lock}}:timeout`, '0', '-1');
      else questions.hkeys(this.prefix + lock);
    const from = machineTime();
    const answers = (await questions.exec()) ?? [];
    const at = machineTime();
    for (const [index, lock] of this.locks.entries()) {
      const [error, holders] = answers[index] ?? [];
      if (error !== null || !Array.isArray(holders)) continue;
      // Permits are bytes. How a read/write lock is held is a field of it as well.
      const names = holders
        .map((holder) => (Buffer.isBuffer(holder) ? holder.toString('hex') : String(holder)))
        .filter((holder) => holder !== 'mode');
      this.seen.push({ kind: 'seen', at, from, lock, holders: names });
    }
  }
}
