import type { CountDownLatch } from '../../libs/distributed-lock/src/contracts/latch.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { LatchRound } from './latch.round.js';
import { checkWish, type OtherPlace, type OtherWatch, type OtherWish } from './other.watch.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS } from './simulated.instance.js';

/** A caller that waits for a latch. */
export interface LatchWish extends OtherWish {
  readonly round: LatchRound;
}

/** Latches, one after the other: each is closed with a count, and open once so many calls have counted it down. */
export class LatchWatch implements OtherWatch {
  readonly wishes = new Set<LatchWish>();
  readonly #rounds: LatchRound[] = [];
  readonly #dice: SeededDice;

  constructor(private readonly place: OtherPlace) {
    this.#dice = new SeededDice(place.world.seed, 'latches');
  }

  /** The latch that callers use now; undefined: the next one is to be made. */
  current(): LatchRound | undefined {
    const last = this.#rounds.at(-1);
    return last === undefined || last.isLost || last.openSince !== undefined ? undefined : last;
  }

  next(): LatchRound {
    const round = new LatchRound(`latch.${this.#rounds.length}`, this.#dice.between(1, 6));
    this.#rounds.push(round);
    return round;
  }

  latchOf(service: LockService, { name }: LatchRound): CountDownLatch {
    return service.getCountDownLatch(name);
  }

  /** Whether what callers have done says whether a latch is open. After a violation nothing is noted any more. */
  isKnown(round: LatchRound): boolean {
    const { losses, watch } = this.place;
    return !round.isLost && losses.isSplit !== true && watch.violations.length === 0;
  }

  /** Whether a latch is open. */
  isOpen(round: LatchRound): boolean {
    return this.#countOf(round) === 0;
  }

  lostData(isLost: (key: string) => boolean): void {
    for (const round of this.#rounds) if (isLost(SETTINGS.mapName(round.name))) round.isLost = true;
  }

  check(): void {
    const last = this.#rounds.at(-1);
    if (last !== undefined) this.#checkCount(last);
    // A latch that is open lets every caller go on.
    for (const wish of this.wishes) {
      const { name } = wish.round;
      const openSince = this.#openSince(wish.round);
      if (openSince !== undefined) checkWish(this.place, wish, { name: `${name} is open`, since: openSince });
    }
  }

  #checkCount(round: LatchRound): void {
    const { world, watch, losses } = this.place;
    if (losses.isSplit === true) return;
    const count = this.#countOf(round);
    if (count > 0) round.wasMade = true;
    if (!round.wasMade) return;
    if (round.isLost) return;
    if (count === 0) round.openSince ??= world.now;
    else if (round.openSince !== undefined) watch.report('latch', `${round.name} is closed again`);
    const { least, most } = round.boundsAt(world.now);
    if (count < least || count > most)
      watch.report(
        'latch',
        `${round.name} of ${round.count} has the count ${count}, and not ${least} to ${most}`,
      );
  }

  /** Calls that were lost may have opened it: it is closed again then. */
  #openSince(round: LatchRound): number | undefined {
    if (round.isLost)
      round.openSince = this.isOpen(round) ? (round.openSince ?? this.place.world.now) : undefined;
    return round.openSince;
  }

  #countOf({ name }: LatchRound): number {
    return this.place.store.count(SETTINGS.mapName(name)) ?? 0;
  }

  /** In the end a latch is closed only where too few calls have counted it down. */
  async finish(service: LockService): Promise<void> {
    for (const round of this.#rounds) {
      if (this.isOpen(round)) continue;
      round.isLost = true;
      await this.latchOf(service, round).delete();
    }
  }
}
