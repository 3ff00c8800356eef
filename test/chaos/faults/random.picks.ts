import type { Dice } from '../chaos.types.js';

/** A whole number from `from` to below `to`. */
export function between(random: Dice, from: number, to: number): number {
  return from + random.below(to - from);
}

/** @throws when there is nothing to pick from */
export function oneOf<T>(random: Dice, items: readonly T[]): T {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

/** One or more of them, in their order. */
export function someOf<T>(random: Dice, items: readonly T[]): T[] {
  const sure = random.below(items.length);
  return items.filter((_, index) => index === sure || random.below(2) === 0);
}
