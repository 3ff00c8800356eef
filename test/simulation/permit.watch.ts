import type { PermitExpirableSemaphore } from '../../libs/distributed-lock/src/contracts/semaphore.contract.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { checkWish, type OtherPlace, type OtherWatch, type OtherWish } from './other.watch.js';
import { PermitTotal } from './permit.total.js';
import { SeededDice } from './seeded.dice.js';
import { SETTINGS } from './simulated.instance.js';

const NAME = 'permits.0';

/** The most permits that there are. */
const MOST = 4;

/** A semaphore whose permits expire: the store never has more or fewer of them than there are. */
export class PermitWatch implements OtherWatch {
  readonly key = SETTINGS.mapName(NAME);
  readonly total: PermitTotal;
  /** Whether callers change how many permits there are: in half of the runs, so that it does not hide what else is wrong. */
  readonly isResized: boolean;
  readonly wishes = new Set<OtherWish>();
  /** Since when a permit is available. */
  #freeSince: number | undefined;

  constructor(private readonly place: OtherPlace) {
    const { seed } = place.world;
    this.total = new PermitTotal(new SeededDice(seed, 'permits').between(1, 3));
    this.isResized = new SeededDice(seed, 'all permits').chance(0.5);
  }

  /** Whether the store has the semaphore. */
  get isMade(): boolean {
    return this.place.store.has(this.key);
  }

  semaphoreOf(service: LockService): PermitExpirableSemaphore {
    return service.getPermitExpirableSemaphore(NAME);
  }

  /** The ids of permits that callers believe in. */
  believed(): string[] {
    const { beliefs } = this.place.watch;
    return [...beliefs].filter(({ key }) => key === this.key).map(({ handle }) => handle.holder);
  }

  /** Another number of permits. */
  drawTotal(dice: SeededDice): number {
    const others = Array.from({ length: MOST }, (_, place) => place + 1);
    return dice.pick(others.filter((total) => total !== this.total.current));
  }

  lostData(isLost: (key: string) => boolean): void {
    if (isLost(this.key)) this.total.lost();
  }

  check(): void {
    const { store, losses, watch, world } = this.place;
    if (losses.isSplit === true) this.total.lost();
    const available = store.count(this.key);
    const taken = store.permits(this.key);
    const isThere = available !== undefined || taken.size > 0;
    if (!this.total.allows(isThere ? (available ?? 0) + taken.size : undefined, world.now))
      watch.report(
        'permits',
        `${this.key} has ${available} permits left and ${taken.size} taken, of ${this.total.current}`,
      );
    let believed = 0;
    for (const belief of watch.beliefs) if (belief.key === this.key && watch.isCertain(belief)) believed += 1;
    if (believed > this.total.most)
      watch.report(
        'permits',
        `${believed} callers believe in a permit of ${this.key}, of ${this.total.most}`,
      );
    this.#checkWishes((available ?? 0) + taken.expired > 0);
  }

  #checkWishes(isFree: boolean): void {
    if (!isFree) {
      this.#freeSince = undefined;
      return;
    }
    const since = (this.#freeSince ??= this.place.world.now);
    for (const wish of this.wishes)
      checkWish(this.place, wish, { name: `a permit of ${this.key} is free`, since, isQueued: true });
  }

  /** In the end all permits are available, also those of processes that are dead. */
  async finish(service: LockService): Promise<void> {
    const semaphore = this.semaphoreOf(service);
    const available = await semaphore.availablePermits();
    const { current } = this.total;
    if (this.isMade && available !== current)
      this.place.watch.report('permits', `${this.key} has ${available} of ${current} in the end`);
    await semaphore.delete();
  }
}
