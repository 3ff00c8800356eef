import type { Dice } from './chaos.types.js';

/** Random numbers that can be had again by their seed (mulberry32). */
export class SeededDice implements Dice {
  #state: number;

  constructor(readonly seed: number) {
    this.#state = seed | 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** Dice of somebody else, by the same seed: what they throw does not depend on who is faster. */
  static of(seed: number, ...path: readonly number[]): SeededDice {
    return new SeededDice(path.reduce((mixed, step) => Math.imul(mixed ^ (step + 1), 0x9e3779b1) | 0, seed));
  }
}

/** One of several, each as often as it is named. */
export function pick<T>(dice: Dice, choices: readonly [T, ...T[]]): T {
  return choices[dice.below(choices.length)] ?? choices[0];
}
