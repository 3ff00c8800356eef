import type { Dice, LockSort } from '../../chaos/chaos.types.js';
import { pick } from '../../chaos/seeded.dice.js';
import type { ChaosSettings } from './chaos.protocol.js';

/** Places of both semaphores. */
export const ROOM = 3;

/** So long does a plain semaphore last, in ms. */
export const SEMAPHORE_LIFE = 60_000;

/** All that a caller has decided about one call; the dice alone decide. Durations in ms. */
export interface DrawnCall {
  readonly sort: LockSort;
  readonly names: readonly string[];
  /** 0: the watchdog renews. */
  readonly lease: number;
  readonly wait: number;
  readonly abortIn: number | undefined;
  readonly hold: number;
  /** Whether its work goes on whatever the signal says. */
  readonly isBlind: boolean;
  readonly reenters: boolean;
  readonly permits: number;
  /** Before the next one. */
  readonly pause: number;
}

type Settings = Pick<ChaosSettings, 'sorts' | 'names' | 'leases' | 'watchdog'>;

export function drawCall(dice: Dice, settings: Settings): DrawnCall {
  const sort = settings.sorts[dice.below(settings.sorts.length)] ?? 'reentrant';
  const first = dice.below(settings.names);
  const second = dice.below(settings.names);
  const isFixed = dice.below(5) < 3;
  const fixed = settings.leases[dice.below(settings.leases.length)] ?? 1000;
  const lease = isFixed ? fixed : 0;
  const wait = pick(dice, [0, 100, 500, 2000, 10_000, 10_000]);
  const abort = dice.below(600);
  const aborts = dice.below(6) === 0;
  const hold = drawHold(dice, isFixed ? fixed : settings.watchdog, isFixed);
  return {
    sort,
    names:
      sort === 'multi'
        ? [...new Set([first, second])].map((each) => `reentrant-${each}`)
        : [nameOf(sort, first)],
    lease,
    wait,
    abortIn: aborts ? abort : undefined,
    hold,
    isBlind: dice.below(3) === 0,
    reenters: dice.below(4) === 0,
    permits: 1 + dice.below(2),
    pause: dice.below(20),
  };
}

/** Mostly short; sometimes to the brim of the lease, or beyond it: several times over where the watchdog renews. */
function drawHold(dice: Dice, lease: number, isFixed: boolean): number {
  const way = dice.below(20);
  const part = dice.below(1000) / 1000;
  if (lease > 5000 || way < 10) return part * 20;
  // Long leases to their end are rare, or there would be little else.
  if (way < 14 || (lease > 2000 && part < 0.7)) return 20 + part * 300;
  if (way < 17) return lease - Math.max(20, lease / 20) - 5 - part * 60;
  return lease * (1 + part / (isFixed ? 2 : 1));
}

/** Readers and writers meet on one name. */
function nameOf(sort: LockSort, number: number): string {
  return `${sort === 'read' || sort === 'write' ? 'rw' : sort}-${number}`;
}
