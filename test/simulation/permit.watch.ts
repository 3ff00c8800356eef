import type { PermitExpirableSemaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { checkWish, type OtherPlace, type OtherWatch, type OtherWish } from './other.watch.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS } from './simulated.instance.js';

const NAME = 'permits.0';

/** A semaphore whose permits expire: the store never has more or fewer of them than there are. */
export class PermitWatch implements OtherWatch {
  readonly key = SETTINGS.mapName(NAME);
  readonly total: number;
  readonly wishes = new Set<OtherWish>();
  /** Since when a permit is available. */
  #freeSince: number | undefined;

  constructor(private readonly place: OtherPlace) {
    this.total = new SeededDice(place.world.seed, 'permits').between(1, 3);
  }

  /** Whether the store has the semaphore. */
  get isMade(): boolean {
    return this.place.fleet.server.has(this.key);
  }

  semaphoreOf(service: LockService): PermitExpirableSemaphore {
    return service.getPermitExpirableSemaphore(NAME);
  }

  /** The ids of permits that callers believe in. */
  believed(): string[] {
    const { beliefs } = this.place.watch;
    return [...beliefs].filter(({ key }) => key === this.key).map(({ handle }) => handle.holder);
  }

  check(): void {
    const { fleet, watch } = this.place;
    const available = fleet.server.count(this.key);
    const taken = fleet.server.permits(this.key);
    const sum = (available ?? 0) + taken.size;
    if (sum !== this.total && (available !== undefined || taken.size > 0))
      watch.report(
        'permits',
        `${this.key} has ${available} permits left and ${taken.size} taken, of ${this.total}`,
      );
    let believed = 0;
    for (const belief of watch.beliefs) if (belief.key === this.key && watch.isCertain(belief)) believed += 1;
    if (believed > this.total)
      watch.report('permits', `${believed} callers believe in a permit of ${this.key}, of ${this.total}`);
    this.#checkWishes((available ?? 0) > 0 || taken.hasExpired);
  }

  #checkWishes(isFree: boolean): void {
    if (!isFree) {
      this.#freeSince = undefined;
      return;
    }
    const since = (this.#freeSince ??= this.place.world.now);
    for (const wish of this.wishes)
      checkWish(this.place, wish, { name: `a permit of ${this.key} is free`, since });
  }

  /** In the end all permits are available, also those of processes that are dead. */
  async finish(service: LockService): Promise<void> {
    const semaphore = this.semaphoreOf(service);
    const available = await semaphore.availablePermits();
    if (this.isMade && available !== this.total)
      this.place.watch.report('permits', `${this.key} has ${available} of ${this.total} in the end`);
    await semaphore.delete();
  }
}
