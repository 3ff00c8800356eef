import type { FoundLock } from '../contracts/fleet.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import type { LockService } from '../service/lock.service.js';
import type { DashboardLock, LocksEvent } from './dashboard.model.js';
import type { FeedSource } from './feed.js';
import { lockOf } from './model.views.js';
import { storeTime } from './store.time.js';

/** The most locks that a page shows. */
const MOST = 200;

/** Locks that are read at the same time. */
const ABREAST = 50;

/** The most pages that are read for one event. */
const PAGES = 5;

/** The locks whose names begin with a prefix. In a Redis with many other keys one read does not reach all of them: the next one goes on where it ended. */
export class LocksSource implements FeedSource<LocksEvent> {
  readonly event = 'locks';
  /** Where the next read begins; undefined at the beginning. */
  #next: string | undefined;
  /** The keys that earlier reads of a round have found. */
  #known = new Set<string>();

  constructor(
    private readonly locks: LockService,
    private readonly prefix: string,
  ) {}

  async read(): Promise<LocksEvent> {
    const { fleet } = this.locks;
    const found = new Map<string, DashboardLock>();
    const add = (lock: FoundLock) => found.set(lock.key, lockOf(lock));
    const isFirst = this.#next === undefined;
    let pages = 0;
    do {
      const page = await fleet.locks({ prefix: this.prefix, limit: MOST, from: this.#next });
      for (const lock of page.locks) add(lock);
      this.#next = page.next;
      pages += 1;
    } while (this.#next !== undefined && pages < PAGES && found.size <= MOST);
    const isRound = isFirst && this.#next === undefined;
    if (found.size > MOST) this.#next = undefined;
    if (!isRound) await this.#readKnown(add, found);
    this.#known = new Set([...found.keys()].slice(0, MOST));
    const locks = [...found.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
    return { at: storeTime(this.locks), locks: locks.slice(0, MOST), isCut: !isRound || locks.length > MOST };
  }

  whole(state: LocksEvent): LocksEvent {
    return state;
  }

  /** The time of a lease has always changed. */
  changes(_before: LocksEvent, state: LocksEvent): LocksEvent {
    return state;
  }

  async #readKnown(add: (lock: FoundLock) => void, found: ReadonlyMap<string, DashboardLock>): Promise<void> {
    const { fleet, fleetReader } = this.locks;
    const names = new Set([...found.values()].map(({ name }) => name));
    // A name as a whole is found however many other keys there are.
    const whole = [this.prefix].filter((name) => name !== '' && !names.has(name));
    // By their keys: what a `nameMapper` makes of a name, only the application knows.
    const missing = [...this.#known].filter((key) => !found.has(key));
    const reads = [
      ...whole.map((name) => () => fleet.lock(name)),
      ...missing.map((key) => () => fleetReader.at(key)),
    ];
    for (let at = 0; at < reads.length; at += ABREAST) {
      const locks = await Promise.all(reads.slice(at, at + ABREAST).map((read) => this.#read(read)));
      for (const lock of locks) if (lock !== undefined) add(lock);
    }
  }

  /** Undefined for what is there no more, and for what can be no name. */
  async #read(read: () => Promise<FoundLock | undefined>): Promise<FoundLock | undefined> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof LockConfigurationError) return undefined;
      throw error;
    }
  }
}
