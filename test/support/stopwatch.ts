import { LoopLag } from './faults/loop.lag.js';

const lag = new LoopLag();

/**
 * Measures how long the library takes on a machine that runs other tests at the same time: the time in which this process was not run, or
 * its event loop was busy, does not count.
 */
export class Stopwatch {
  /** By `performance.now()`. */
  readonly started = performance.now();
  readonly #late = lag.total;

  /** Since it was made, in ms. */
  get ms(): number {
    return performance.now() - this.started - this.late;
  }

  /** How late this process was by itself since then, in ms. */
  get late(): number {
    return lag.total - this.#late;
  }
}
