import { now } from '../timing/monotonic.clock.js';
import { machine } from '../timing/machine.js';

/** How long a good sample is preferred to a worse one, in ms: clocks drift apart by some ten µs a second. */
const SAMPLE_AGE = 60_000;

/**
 * The store's clock as estimated from the times in its replies: exact to half a round trip. Counted on the monotonic clock, so a wall clock
 * that is set, or wrong, has no effect.
 */
export class StoreClock {
  #offset: number | undefined;
  #error = Infinity;
  #sampled = -Infinity;

  /** Adds a sample: the reply to a request sent at `sent`, received now, carries the store's time `at` (epoch ms). */
  observe(sent: number, at: number): void {
    const received = now();
    const error = (received - sent) / 2;
    if (
      error > this.#error &&
      received - this.#sampled < SAMPLE_AGE &&
      Math.abs(this.#deviation(at, sent, received)) <= this.#error + error
    )
      return;
    // The store truncates its microseconds: half a millisecond is the best guess for them.
    this.#offset = at + 0.5 - (sent + received) / 2;
    this.#error = error;
    this.#sampled = received;
  }

  /** The store's time in epoch ms; undefined before its first reply. */
  now(): number | undefined {
    return this.#offset === undefined ? undefined : now() + this.#offset;
  }

  /** The store's time in epoch ms; before its first reply, that of this machine. */
  get nowOrWall(): number {
    return this.now() ?? machine.global.Date.now();
  }

  /** How far the store's clock is ahead of this machine's wall clock, in ms; 0 before the first reply. */
  get aheadOfWall(): number {
    const at = this.now();
    return at === undefined ? 0 : at - machine.global.Date.now();
  }

  /** The difference between a sample and the estimate. It shows that the store's clock was stepped. */
  #deviation(at: number, sent: number, received: number): number {
    return at + 0.5 - (sent + received) / 2 - (this.#offset ?? 0);
  }
}
