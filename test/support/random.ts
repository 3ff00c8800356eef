import { mulberry32 } from './mulberry32.js';

/** Random numbers that can be had again: set FAULT_SEED to the seed of a failure. */
export class Random {
  readonly seed: number;
  readonly #next: () => number;

  constructor(seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))) {
    this.seed = seed;
    this.#next = mulberry32(seed);
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return this.#next() % limit;
  }
}
