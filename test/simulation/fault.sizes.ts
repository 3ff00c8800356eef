import type { SeededDice } from './seeded.dice.js';

/**
 * Draws how long a fault lasts, or how far it goes, for the kinds that every topology has.
 * @returns undefined for any other kind
 */
export function sizeOfCommonFault(kind: string, dice: SeededDice): number | undefined {
  switch (kind) {
    case 'crash':
      return dice.between(50, 1500);
    case 'stop':
      return dice.chance(0.5) ? dice.between(20, 400) : dice.between(400, 5000);
    case 'slow requests':
    case 'slow replies':
      return dice.chance(0.5) ? dice.between(2, 60) : dice.between(60, 600);
    case 'partition':
      return dice.between(100, 5000);
    case 'restart server':
      return dice.chance(0.7) ? dice.between(20, 1500) : dice.between(1500, 5000);
    case 'step clock':
      return dice.between(-60_000, 60_000);
    case 'cut commands':
    case 'cut messages':
    case 'lose replies':
      return 0;
    default:
      return undefined;
  }
}
