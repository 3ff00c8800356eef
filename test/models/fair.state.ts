import type { Snapshot, StoredKey } from './store.dump.js';

/** The keys of a fair lock, by what they are. */
export interface FairKeys {
  readonly lock: string;
  readonly queue: string;
  readonly timeout: string;
  readonly waits: string;
  readonly alive: string;
}

/** What a fair lock is, on both sides of the wire: instants are ms since the model began, Infinity for a key without ttl. */
export class FairState {
  now = 0;
  lock: { readonly counts: Map<string, number>; until: number } | undefined;
  /** The next one first. */
  queue: string[] = [];
  /** When each waiter gives up. */
  readonly times = new Map<string, number>();
  /** What waiters of ours have declared; below 0 for one that was asked whether it lives. */
  readonly waits = new Map<string, number>();
  /** The lease of a gift, in ms, of those who take one. */
  readonly gifts = new Map<string, number>();
  waitsUntil = 0;
  /** Until when each client counts as alive. */
  readonly alive = new Map<string, number>();
  aliveUntil = 0;
  /** What was told since the last look: a holder, a space, the payload. */
  told: string[] = [];

  /** What is left of the lock's lease, as PTTL says it. */
  get ttl(): number {
    if (this.lock === undefined) return -2;
    return this.lock.until === Infinity ? -1 : this.lock.until - this.now;
  }

  get head(): string | undefined {
    return this.queue[0];
  }

  /** Somebody who has it. */
  get holder(): string | undefined {
    return this.lock?.counts.keys().next().value;
  }

  countOf(holder: string): number {
    return this.lock?.counts.get(holder) ?? 0;
  }

  tell(holder: string | undefined, payload = 0): void {
    if (holder !== undefined) this.told.push(`${holder} ${payload}`);
  }

  /** Gives a free lock to a holder. */
  give(holder: string, lease: number): void {
    this.lock = { counts: new Map([[holder, 1]]), until: this.now + lease };
  }

  /** A waiter of ours says how long it waits, and how it takes a gift. */
  declare(holder: string, wait: number, gift: number | undefined): void {
    this.waits.set(holder, wait);
    if (gift === undefined) this.gifts.delete(holder);
    else this.gifts.set(holder, gift);
  }

  /** Takes a waiter out, wherever it stands. */
  remove(holder: string): void {
    this.queue = this.queue.filter((waiter) => waiter !== holder);
    this.times.delete(holder);
    this.waits.delete(holder);
  }

  /** Moves the times of those waiters that have one. */
  move(waiters: Iterable<string>, ms: number): void {
    for (const waiter of new Set(waiters)) {
      const time = this.times.get(waiter);
      if (time !== undefined) this.times.set(waiter, time + ms);
    }
  }

  /** Who stands behind a waiter. */
  behind(holder: string): string[] {
    const place = this.queue.indexOf(holder);
    return place < 0 ? [] : this.queue.slice(place + 1).filter((waiter) => waiter !== holder);
  }

  /** Lets `ms` pass. Java takes PTTL's -1 and -2 for times: instants are rounded to full `grain` ms before, as in the store. */
  advance(ms: number, grain: number): void {
    for (const [waiter, time] of this.times)
      this.times.set(waiter, this.now + Math.round((time - this.now) / grain) * grain);
    this.now += ms;
    if (this.lock !== undefined && this.lock.until <= this.now) this.lock = undefined;
    if (this.waitsUntil <= this.now) this.waits.clear();
    if (this.aliveUntil <= this.now) this.alive.clear();
  }

  /** The state as the store would have it. */
  snapshot(keys: FairKeys): Snapshot {
    const { now, lock, queue, times, waits, alive } = this;
    const found: Record<string, StoredKey> = {};
    if (lock !== undefined) found[keys.lock] = { type: 'hash', ttl: this.ttl, fields: textsOf(lock.counts) };
    if (queue.length > 0) found[keys.queue] = { type: 'list', ttl: -1, items: queue };
    if (times.size > 0) found[keys.timeout] = { type: 'zset', ttl: -1, scores: fromNow(times, now) };
    if (waits.size > 0)
      found[keys.waits] = { type: 'hash', ttl: this.waitsUntil - now, fields: this.#declared() };
    if (alive.size > 0)
      found[keys.alive] = { type: 'zset', ttl: this.aliveUntil - now, scores: fromNow(alive, now) };
    return found;
  }

  #declared(): Record<string, string> {
    const texts = [...this.waits].map(([name, wait]) => {
      const gift = this.gifts.get(name);
      return [name, gift === undefined ? `${wait}` : `${wait}:${gift}`];
    });
    return Object.fromEntries(texts);
  }
}

function textsOf(numbers: ReadonlyMap<string, number>): Record<string, string> {
  return Object.fromEntries([...numbers].map(([name, number]) => [name, `${number}`]));
}

function fromNow(instants: ReadonlyMap<string, number>, now: number): Record<string, number> {
  return Object.fromEntries([...instants].map(([name, instant]) => [name, instant - now]));
}
