import type { LockContext } from '../core/lock.context.js';
import type { QueueTarget } from '../core/lock.target.js';
import type { IdReserves } from './id.reserve.js';
import type { QueuePlace } from '../process-queue/queue.place.js';
import type { QueuePlaces } from '../process-queue/queue.places.js';
import { SelfWaitWatch, type SelfWaitSubject } from '../waiters/self-wait.watch.js';

/** The owner of a local lock, or of a local counter: the registry that it is in. */
export interface LocalLockOwner<L> {
  readonly context: LockContext;
  /** To be called when the last hold, waiter and work have ended. */
  forget(lock: L): void;
  get(id: string): L | undefined;
  /** Finds callers that wait for themselves. */
  readonly selfWaits: SelfWaitWatch;
  /** The places of this process in the queues of locks. @default it waits in none */
  readonly places?: QueuePlaces | undefined;
  /** The ids of waiters to come, for kinds whose waiters have a channel each. */
  readonly reserves?: IdReserves | undefined;
}

/** The place of this process at a lock, or a new one: a local lock that is there has to know of it, and lets it rest. */
export function placeAt(
  registry: Pick<LocalLockOwner<{ openPlace(): QueuePlace | undefined }>, 'get' | 'places'>,
  target: QueueTarget,
): QueuePlace | undefined {
  return registry.get(target.id)?.openPlace() ?? registry.places?.open(target);
}

/** The local locks of this moment. */
export interface LocalLocks<L> {
  readonly size: number;
  get(id: string): L | undefined;
  /** Those of this moment. */
  values(): readonly L[];
}

/** The local locks of one sort: each is created on first use, and forgotten after the last. */
export class LocalLockRegistry<
  T extends { readonly id: string },
  L extends { readonly target: T; readonly existingWaiters: SelfWaitSubject | undefined },
>
  implements LocalLocks<L>, LocalLockOwner<L>
{
  /** One of them has a place of its own: a map that is emptied is made anew, and a caller who takes one lock after the other empties it each time. */
  #single: L | undefined;
  readonly #others = new Map<string, L>();
  #whenIdle: (() => void)[] = [];
  readonly selfWaits: SelfWaitWatch;
  places: QueuePlaces | undefined;
  reserves: IdReserves | undefined;

  constructor(
    readonly context: LockContext,
    private readonly make: (registry: LocalLockOwner<L>, target: T) => L,
  ) {
    this.selfWaits = new SelfWaitWatch(context.wheel, context.settings.selfWaitAfter, () =>
      this.values().flatMap(({ existingWaiters }) => existingWaiters ?? []),
    );
  }

  get size(): number {
    return this.#others.size + (this.#single === undefined ? 0 : 1);
  }

  get(id: string): L | undefined {
    return this.#single?.target.id === id ? this.#single : this.#others.get(id);
  }

  values(): readonly L[] {
    const others = [...this.#others.values()];
    return this.#single === undefined ? others : [this.#single, ...others];
  }

  getOrCreate(target: T): L {
    const known = this.get(target.id);
    if (known !== undefined) return known;
    const made = this.make(this, target);
    if (this.#single === undefined) this.#single = made;
    else this.#others.set(target.id, made);
    return made;
  }

  /** Resolves when there is no local lock. */
  async idle(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  forget(lock: L): void {
    const { id } = lock.target;
    if (this.#single === lock) this.#single = undefined;
    else if (this.#others.get(id) === lock) this.#others.delete(id);
    if (this.#whenIdle.length === 0 || this.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
