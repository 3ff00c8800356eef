import { mulberry32 } from '../support/mulberry32.js';

/** The dice of one purpose of a run. */
export class SeededDice {
  readonly #next: () => number;

  /** @param purpose each purpose has numbers of its own, so that a fault that is left out changes nothing before it */
  constructor(seed: number, purpose: string) {
    this.#next = mulberry32(hashOf(`${seed}/${purpose}`));
  }

  /** From 0 to 1, without 1. */
  readonly fraction = (): number => this.#next() / 4_294_967_296;

  /** A whole number from 0 to `bound`, without it. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }
}

/** A text as 32 bits, by FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
