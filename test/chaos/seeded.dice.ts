import { mulberry32 } from '../support/mulberry32.js';
import type { Dice } from './chaos.types.js';

/** Random numbers that can be had again by their seed. */
export class SeededDice implements Dice {
  readonly #next: () => number;

  constructor(readonly seed: number) {
    this.#next = mulberry32(seed);
  }

  below(limit: number): number {
    return this.#next() % limit;
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
