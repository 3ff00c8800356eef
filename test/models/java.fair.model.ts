import type { FairState } from './fair.state.js';

/** What a Java client does to a fair lock (wire format section 6): no count is absolute, nobody is asked whether he lives. */
export class JavaFairModel {
  constructor(private readonly state: FairState) {}

  attempt(holder: string, lease: number, wait: number): unknown {
    return this.#take(holder, lease, wait) ? 'acquired' : 'refused';
  }

  acquire(holder: string, lease: number, wait: number): unknown {
    const { state } = this;
    if (this.#take(holder, lease, wait)) return 'acquired';
    if (state.times.has(holder)) return Math.max(state.ttl, 0);
    const last = state.queue.at(-1);
    const time = last === undefined || last === holder ? undefined : state.times.get(last);
    const left = time === undefined ? state.ttl : time - state.now;
    state.times.set(holder, state.now + left + wait);
    state.queue.push(holder);
    return left;
  }

  leave(holder: string, wait: number): unknown {
    const { state } = this;
    // Who stands in the queue twice is moved twice.
    for (const waiter of state.behind(holder)) state.move([waiter], -wait);
    this.#remove(holder);
    return 'left';
  }

  unlock(holder: string, lease: number): unknown {
    const { state } = this;
    this.#prune();
    const count = state.countOf(holder);
    if (state.lock !== undefined && count === 0) return 'not owner';
    if (state.lock !== undefined && count > 1) {
      state.lock.counts.set(holder, count - 1);
      state.lock.until = state.now + lease;
      return 'kept';
    }
    state.lock = undefined;
    state.tell(state.head);
    return 'released';
  }

  #take(holder: string, lease: number, wait: number): boolean {
    const { state } = this;
    this.#prune();
    if (state.lock === undefined && (state.head === undefined || state.head === holder)) {
      state.queue = state.queue.slice(1);
      state.times.delete(holder);
      state.move(state.times.keys(), -wait);
      state.give(holder, lease);
      return true;
    }
    if (state.lock === undefined || state.countOf(holder) === 0) return false;
    state.lock.counts.set(holder, state.countOf(holder) + 1);
    state.lock.until = state.now + lease;
    return true;
  }

  #prune(): void {
    const { state } = this;
    while (state.head !== undefined && (state.times.get(state.head) ?? Infinity) <= state.now) {
      state.times.delete(state.head);
      state.queue = state.queue.slice(1);
    }
  }

  /** What is in `waits` is none of its business. */
  #remove(holder: string): void {
    this.state.queue = this.state.queue.filter((waiter) => waiter !== holder);
    this.state.times.delete(holder);
  }
}
