import type { CallingInstance } from './calling.instance.js';
import { RELEASED_WITHIN } from './stored.holds.js';

/** A change of the number of permits that the store may or may not have made. */
export interface PermitChange {
  readonly instance: CallingInstance;
  /** By so many the store may have fewer than is certain; below 0: more. Infinity: it may have none. */
  readonly permits: number;
  /** Whether the library gives the permits back at a shutdown: not those that the caller has to release itself. */
  readonly isScoped: boolean;
  /** Where fewer than none are available, a call that takes all leaves none: so many more than before. */
  raises: number;
  /** When its caller had the answer, or has given up. */
  settledAt: number | undefined;
}

/** The permits of one semaphore: those that callers have, and those that are on their way. */
export class SemaphoreLedger {
  /** Whether the store has lost it. */
  isLost = false;
  /** Whether the store has had it. */
  wasMade = false;
  readonly #taken = new Map<CallingInstance, number>();
  readonly #changes = new Set<PermitChange>();

  constructor(
    readonly name: string,
    public total: number,
  ) {}

  /** Whether permits have gone with a process. */
  get hasLeaked(): boolean {
    for (const [{ isLive }, taken] of this.#taken) if (!isLive && taken !== 0) return true;
    for (const { instance } of this.#changes) if (!instance.isLive) return true;
    return false;
  }

  /** A caller asks for permits. */
  asked(instance: CallingInstance, permits: number, isScoped: boolean): PermitChange {
    return this.#change({ instance, permits, isScoped, raises: 0, settledAt: undefined });
  }

  granted(change: PermitChange, permits = change.permits): void {
    this.#changes.delete(change);
    // An attempt before this one, which too few replicas had, may still have to be given back.
    if (change.instance.isAcked === true) this.#change({ ...change, settledAt: 0 });
    this.#count(change.instance, permits);
  }

  /** There are to be more permits, or fewer. */
  adding(instance: CallingInstance, permits: number): PermitChange {
    this.total += permits;
    return this.#change({ instance, permits, isScoped: false, raises: 0, settledAt: undefined });
  }

  /** A caller is about to give permits back. */
  giving(instance: CallingInstance, permits: number, isScoped: boolean): PermitChange {
    this.#count(instance, -permits);
    return this.#change({ instance, permits, isScoped, raises: 0, settledAt: undefined });
  }

  /** The store has confirmed it. */
  confirmed(change: PermitChange): void {
    this.#changes.delete(change);
  }

  /** An instance was shut down, and nothing kept it from giving back what its scopes had. */
  shutDown(instance: CallingInstance): void {
    for (const change of this.#changes)
      if (change.instance === instance && change.isScoped) this.#changes.delete(change);
  }

  /** How many permits the store may have available, at least and at most. */
  boundsAt(now: number): { readonly least: number; readonly most: number } {
    let most = this.total;
    for (const taken of this.#taken.values()) most -= taken;
    let least = most;
    const drains: PermitChange[] = [];
    for (const change of this.#changes) {
      if (isOverAt(change, now)) this.#changes.delete(change);
      else if (change.permits === Infinity) drains.push(change);
      else if (change.permits < 0) most -= change.permits;
      else least -= change.permits * (isAskedAgain(change, now) ? 2 : 1);
    }
    const fewest = -least;
    for (const drain of drains) {
      drain.raises = Math.max(drain.raises, fewest);
      most += drain.raises;
      least = -Infinity;
    }
    return { least, most };
  }

  #change(change: PermitChange): PermitChange {
    this.#changes.add(change);
    return change;
  }

  #count(instance: CallingInstance, permits: number): void {
    this.#taken.set(instance, (this.#taken.get(instance) ?? 0) + permits);
  }
}

/** An attempt that too few replicas have is given back while the next one is under way: the store may have both. */
function isAskedAgain({ instance, settledAt }: PermitChange, now: number): boolean {
  return instance.isAcked === true && settledAt === undefined && now <= instance.calmSince + RELEASED_WITHIN;
}

/** A call that was given up is undone, and a release is repeated, as soon as the store answers; those of a dead process may never be. */
function isOverAt({ instance, settledAt }: PermitChange, now: number): boolean {
  if (settledAt === undefined || !instance.isLive || instance.isEnding) return false;
  return now > Math.max(settledAt, instance.calmSince) + RELEASED_WITHIN;
}
