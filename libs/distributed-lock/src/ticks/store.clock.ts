import { now } from '../timing/monotonic.clock.js';

/** How long a good sample is preferred to a worse one, in ms: clocks drift apart by some ten µs a second. */
const SAMPLE_AGE = 60_000;

/**
 * The store's clock as this process knows it, from the times in its replies: exact to half a round trip. Counted on the
 * monotonic clock, so that a wall clock that is set, or wrong, means nothing here.
 */
export class StoreClock {
  #offset: number | undefined;
  #error = Infinity;
  #sampled = -Infinity;

  /** Takes in that a reply to a request sent at `sent`, read now, has the store's time `at` (epoch ms). */
  observe(sent: number, at: number): void {
    const received = now();
    const error = (received - sent) / 2;
    if (
      error > this.#error &&
      received - this.#sampled < SAMPLE_AGE &&
      Math.abs(this.#deviation(at, sent, received)) <= this.#error + error
    )
      return;
    // The store cuts its microseconds off: half a millisecond is the best guess for them.
    this.#offset = at + 0.5 - (sent + received) / 2;
    this.#error = error;
    this.#sampled = received;
  }

  /** The store's time in epoch ms; undefined before its first reply. */
  now(): number | undefined {
    return this.#offset === undefined ? undefined : now() + this.#offset;
  }

  /** How far the store's clock is ahead of this machine's wall clock, in ms; 0 before the first reply. */
  get aheadOfWall(): number {
    const at = this.now();
    return at === undefined ? 0 : at - Date.now();
  }

  /** How far a sample is from what is believed. A store whose clock was stepped shows here. */
  #deviation(at: number, sent: number, received: number): number {
    return at + 0.5 - (sent + received) / 2 - (this.#offset ?? 0);
  }
}
