import type { Semaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { CallingInstance } from './calling.instance.js';
import { checkWish, type OtherPlace, type OtherWatch, type OtherWish } from './other.watch.js';
import { SeededDice } from './seeded.dice.js';
import { SemaphoreLedger } from './semaphore.ledger.js';
import { SETTINGS } from './simulated.instance.js';

/** The most permits that there are. */
export const MOST = 4;

/** A caller that waits for permits. */
export interface PermitsWish extends OtherWish {
  readonly ledger: SemaphoreLedger;
  readonly permits: number;
  /** Since when it comes first in its process. */
  firstSince: number | undefined;
}

/**
 * Semaphores: the store has the permits that no caller has. It has no leases of them, so where a process dies with permits, or the store
 * loses them, the callers go on with another semaphore.
 */
export class SemaphoreWatch implements OtherWatch {
  readonly wishes = new Set<PermitsWish>();
  /** How much of the work is short: where little is, there are few messages that wake a waiter by chance. */
  readonly haste: number;
  /** Whether callers change how many permits there are: in half of the runs, so that it does not hide what else is wrong. */
  readonly isResized: boolean;
  readonly #ledgers: SemaphoreLedger[] = [];
  readonly #dice: SeededDice;
  /** Callers that were granted their permits in this event. */
  #granted: PermitsWish[] = [];
  /** Since when so many permits are available of the current semaphore. */
  readonly #availableSince = new Map<number, number>();

  constructor(private readonly place: OtherPlace) {
    this.#dice = new SeededDice(place.world.seed, 'semaphores');
    this.haste = this.#dice.pick([0.9, 0.5, 0]);
    this.isResized = new SeededDice(place.world.seed, 'number of a semaphore').chance(0.5);
  }

  /** The semaphore that callers use now. */
  current(): SemaphoreLedger {
    const last = this.#ledgers.at(-1);
    if (last !== undefined && !last.isLost && !last.hasLeaked) return last;
    const next = new SemaphoreLedger(`semaphore.${this.#ledgers.length}`, this.#dice.between(1, MOST));
    this.#ledgers.push(next);
    this.#availableSince.clear();
    return next;
  }

  semaphoreOf(service: LockService, { name }: SemaphoreLedger): Semaphore {
    return service.getSemaphore(name);
  }

  granted(wish: PermitsWish): void {
    if (this.wishes.delete(wish)) this.#granted.push(wish);
  }

  shutDown(instance: CallingInstance): void {
    for (const ledger of this.#ledgers) ledger.shutDown(instance);
  }

  lostData(isLost: (key: string) => boolean): void {
    for (const ledger of this.#ledgers) if (isLost(SETTINGS.mapName(ledger.name))) ledger.isLost = true;
  }

  check(): void {
    for (const ledger of this.#ledgers.slice(-2)) this.#checkNumber(ledger);
    this.#checkOrder();
    if (this.wishes.size > 0) this.#checkWishes();
  }

  #checkNumber(ledger: SemaphoreLedger): void {
    const { store, losses, watch, world } = this.place;
    if (ledger.isLost || losses.isSplit === true) return;
    const available = store.count(SETTINGS.mapName(ledger.name));
    if (available === undefined && !ledger.wasMade) return;
    ledger.wasMade = true;
    const { least, most } = ledger.boundsAt(world.now);
    if (available === undefined || available < least || available > most)
      watch.report('permits', `${ledger.name} has ${available} permits, and not ${least} to ${most}`);
  }

  /** In a process the callers have their permits in the order in which they came. */
  #checkOrder(): void {
    for (const { instance, ledger, since } of this.#granted)
      for (const other of this.wishes)
        if (other.instance === instance && other.ledger === ledger && other.since < since)
          this.place.watch.report('I7', `a caller of ${instance.name} has ${ledger.name} out of its turn`);
    this.#granted = [];
  }

  /** Of each process the caller that came first is to have its permits as soon as so many are available. */
  #checkWishes(): void {
    const { world, store } = this.place;
    const ledger = this.#ledgers.at(-1);
    if (ledger === undefined || ledger.isLost) return;
    const available = store.count(SETTINGS.mapName(ledger.name)) ?? 0;
    for (let permits = 1; permits <= MOST; permits += 1) {
      if (available < permits) this.#availableSince.delete(permits);
      else if (!this.#availableSince.has(permits)) this.#availableSince.set(permits, world.now);
    }
    const served = new Set<CallingInstance>();
    for (const wish of this.wishes) {
      const { instance, permits } = wish;
      if (wish.ledger !== ledger || served.has(instance)) continue;
      served.add(instance);
      wish.firstSince ??= world.now;
      const availableSince = this.#availableSince.get(permits);
      if (availableSince === undefined) continue;
      const name = `${ledger.name} has ${available} permits, and ${permits} are enough,`;
      checkWish(
        this.place,
        { instance, since: wish.firstSince },
        { name, since: availableSince, isQueued: true },
      );
    }
  }

  /** In the end all permits are available that did not go with a process. */
  async finish(service: LockService): Promise<void> {
    for (const ledger of this.#ledgers) {
      const semaphore = this.semaphoreOf(service, ledger);
      const available = await semaphore.availablePermits();
      if (ledger.wasMade && !ledger.isLost && !ledger.hasLeaked && available !== ledger.total)
        this.place.watch.report('permits', `${ledger.name} has ${available} of ${ledger.total} in the end`);
      ledger.isLost = true;
      await semaphore.delete();
    }
  }
}
