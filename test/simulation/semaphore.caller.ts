import type { Semaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import { CallerLoop, type CallerPlace } from './caller.loop.js';
import type { PermitChange, SemaphoreLedger } from './semaphore.ledger.js';
import { MOST, type SemaphoreWatch } from './semaphore.watch.js';

/** Takes permits of a semaphore, works, and gives them back. */
export class SemaphoreCaller extends CallerLoop {
  constructor(
    place: CallerPlace,
    name: string,
    private readonly semaphores: SemaphoreWatch,
  ) {
    super(place, name);
  }

  protected override get rest(): number {
    return this.semaphores.haste === 0 ? this.dice.between(1, 2500) : super.rest;
  }

  protected async call(): Promise<void> {
    const { dice, semaphores } = this;
    const { service } = this.place;
    const ledger = semaphores.current();
    const semaphore = semaphores.semaphoreOf(service, ledger);
    if (!ledger.wasMade) await semaphore.trySetPermits(ledger.total);
    if (semaphores.isResized && dice.chance(0.25)) return await this.#change(ledger, semaphore);
    const permits = dice.between(1, ledger.total);
    const form = dice.fraction();
    if (form < 0.6) await this.#using(ledger, semaphore, permits);
    else await this.#byHand(ledger, semaphore, permits, form < 0.75 ? 0 : dice.between(100, 4000));
  }

  /** Makes the permits more or fewer, or takes all that are available for a while. */
  async #change(ledger: SemaphoreLedger, semaphore: Semaphore): Promise<void> {
    const { dice } = this;
    const { total } = ledger;
    if (dice.chance(0.5)) return await this.#drain(ledger, semaphore);
    const isLess = total >= MOST || (total > 1 && dice.chance(0.5));
    await this.#add(ledger, semaphore, isLess ? -dice.between(1, total - 1) : dice.between(1, MOST - total));
  }

  async #add(ledger: SemaphoreLedger, semaphore: Semaphore, permits: number): Promise<void> {
    const { instance, world } = this.place;
    const added = ledger.adding(instance, permits);
    try {
      await semaphore.addPermits(permits);
      ledger.confirmed(added);
    } finally {
      added.settledAt = world.now;
    }
  }

  async #drain(ledger: SemaphoreLedger, semaphore: Semaphore): Promise<void> {
    const { instance, world } = this.place;
    const asked = ledger.asked(instance, Infinity, false);
    let permits = 0;
    try {
      permits = await semaphore.drainPermits();
      ledger.granted(asked, permits);
    } finally {
      asked.settledAt = world.now;
    }
    await this.pause(this.dice.between(0, 300));
    await this.#giveBack(ledger, semaphore, permits);
  }

  /** @param permits below 0: so many fewer are to be available */
  async #giveBack(ledger: SemaphoreLedger, semaphore: Semaphore, permits: number): Promise<void> {
    if (permits === 0) return;
    const { instance, world } = this.place;
    const given = ledger.giving(instance, permits, false);
    try {
      await (permits > 0 ? semaphore.release(permits) : semaphore.addPermits(permits));
      ledger.confirmed(given);
    } finally {
      given.settledAt = world.now;
    }
  }

  async #using(ledger: SemaphoreLedger, semaphore: Semaphore, permits: number): Promise<void> {
    const { dice, semaphores } = this;
    const { instance, world } = this.place;
    const asked = ledger.asked(instance, permits, true);
    const wish = { instance, ledger, permits, since: world.now, firstSince: undefined };
    semaphores.wishes.add(wish);
    const waitTime = dice.chance(0.5) ? dice.between(100, 1000) : dice.between(1000, 6000);
    let given: PermitChange | undefined;
    try {
      await semaphore.using(
        async ({ signal }) => {
          this.#granted(ledger, asked);
          semaphores.granted(wish);
          const give = () => {
            given ??= ledger.giving(instance, permits, true);
          };
          // At a shutdown the permits are given back though the work goes on.
          signal.addEventListener('abort', give, { once: true });
          await this.pause(dice.chance(semaphores.haste) ? dice.between(0, 40) : dice.between(40, 3000));
          give();
        },
        { permits, waitTime, signal: this.signal() },
      );
    } catch (error) {
      if (semaphores.wishes.has(wish)) this.expectPatience(error, { since: wish.since, waitTime });
      throw error;
    } finally {
      semaphores.wishes.delete(wish);
      (given ?? asked).settledAt = world.now;
    }
  }

  /** Permits that no scope gives back. */
  async #byHand(
    ledger: SemaphoreLedger,
    semaphore: Semaphore,
    permits: number,
    waitTime: number,
  ): Promise<void> {
    const { dice, semaphores } = this;
    const { instance, world } = this.place;
    const asked = ledger.asked(instance, permits, false);
    const wish = { instance, ledger, permits, since: world.now, firstSince: undefined };
    if (waitTime > 0) semaphores.wishes.add(wish);
    try {
      const isTaken = await semaphore.tryAcquire(permits, { waitTime, signal: this.signal() });
      if (!isTaken) return;
      this.#granted(ledger, asked);
      semaphores.granted(wish);
    } finally {
      semaphores.wishes.delete(wish);
      asked.settledAt = world.now;
    }
    await this.pause(dice.between(0, 100));
    await this.#giveBack(ledger, semaphore, permits);
  }

  #granted(ledger: SemaphoreLedger, asked: PermitChange): void {
    const { counts, world } = this.place;
    counts.grants += 1;
    ledger.granted(asked);
    world.note(`granted ${asked.permits} of ${ledger.name}`);
  }
}
