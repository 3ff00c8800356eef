import type { QueueTarget } from '../core/lock.target.js';
import { now } from '../timing/monotonic.clock.js';
import type { Timer } from '../timing/timer.wheel.js';
import { QueuePlace, type PlaceOwner } from './queue.place.js';

/** How long a shutdown looks after the processes that it has notified of their turn, in ms: some may be stopped. */
const LONGEST_GUARD = 300;

/** Between two attempts to leave a queue while Redis does not answer, in ms. */
const AGAIN = 500;

/** The places of a module instance, one for each lock whose queue it is in, or was in a moment ago. */
export class QueuePlaces {
  /** By the id of the lock. */
  readonly byLock = new Map<string, QueuePlace>();
  readonly #owner: PlaceOwner;
  /** Those that were given up while Redis did not answer, and which it may list yet. */
  readonly #staying = new Map<string, QueuePlace>();
  readonly #leaveAgain: Timer;
  #isOver = false;

  constructor(owner: Omit<PlaceOwner, 'stayed'>) {
    this.#leaveAgain = owner.context.wheel.background(() => void this.#leaveAll());
    this.#owner = {
      context: owner.context,
      isHeld: (id) => owner.isHeld(id),
      isWaitedFor: (id) => owner.isWaitedFor(id),
      ended: (place) => {
        this.byLock.delete(place.target.id);
        owner.ended(place);
      },
      stayed: (place) => this.#onStayed(place),
    };
  }

  /** The place at a lock, if its kind has a queue; a new one if there is none yet, but not after {@link end}. */
  open(target: QueueTarget): QueuePlace | undefined {
    const { queue } = target.kind;
    const known = this.byLock.get(target.id);
    // A late answer must not begin a place that nothing ends.
    if (known !== undefined || queue === undefined || this.#isOver) return known;
    const place = new QueuePlace(this.#owner, target, queue);
    this.byLock.set(target.id, place);
    // It is listed under the same name, and leaves for both.
    if (this.#staying.delete(target.id)) place.expectListed();
    return place;
  }

  /** Leaves all queues, once the processes that were notified of their turn have come. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#owner.context.wheel.cancel(this.#leaveAgain);
    await Promise.all([
      this.#leaveAll(),
      ...[...this.byLock.values()].map(async (place) => {
        await place.guardEnd(LONGEST_GUARD);
        await place.end();
      }),
    ]);
  }

  #onStayed(place: QueuePlace): void {
    const next = this.byLock.get(place.target.id);
    if (next !== undefined) return next.expectListed();
    // What Redis lists yet ends with the life of the queue.
    if (this.#isOver) return;
    this.#staying.set(place.target.id, place);
    const { wheel } = this.#owner.context;
    if (!this.#leaveAgain.isSet) wheel.set(this.#leaveAgain, now() + AGAIN);
  }

  async #leaveAll(): Promise<void> {
    const places = [...this.#staying.values()];
    this.#staying.clear();
    await Promise.all(places.map((place) => place.leave()));
  }
}
