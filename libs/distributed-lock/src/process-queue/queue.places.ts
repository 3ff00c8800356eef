import type { LockTarget } from '../core/lock.target.js';
import { QueuePlace, type PlaceOwner } from './queue.place.js';

/** How long a shutdown looks after the processes that it has notified of their turn, in ms: some may be stopped. */
const LONGEST_GUARD = 300;

/** The places of a module instance, one for each lock whose queue it is in, or was in a moment ago. */
export class QueuePlaces {
  /** By the id of the lock. */
  readonly byLock = new Map<string, QueuePlace>();
  readonly #owner: PlaceOwner;

  constructor(owner: PlaceOwner) {
    this.#owner = {
      context: owner.context,
      isHeld: (id) => owner.isHeld(id),
      isWaitedFor: (id) => owner.isWaitedFor(id),
      ended: (place) => {
        this.byLock.delete(place.target.id);
        owner.ended(place);
      },
    };
  }

  /** The place at a lock, if its kind has a queue; a new one if there is none yet. */
  open(target: LockTarget): QueuePlace | undefined {
    const { queue } = target.kind;
    const known = this.byLock.get(target.id);
    if (known !== undefined || queue === undefined) return known;
    const place = new QueuePlace(this.#owner, target, queue);
    this.byLock.set(target.id, place);
    return place;
  }

  /** Leaves all queues, once the processes that were notified of their turn have come. */
  async end(): Promise<void> {
    await Promise.all(
      [...this.byLock.values()].map(async (place) => {
        await place.guarded(LONGEST_GUARD);
        await place.end();
      }),
    );
  }
}
