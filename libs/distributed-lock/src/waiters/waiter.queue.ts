import type { Waiter, WaitRequest } from './waiter.js';

/** The waiters of one lock in this process, first come, first served. Leaving from the middle costs nothing. */
export class WaiterQueue<G, R extends WaitRequest = WaitRequest> {
  #first: Waiter<G, R> | undefined;
  #last: Waiter<G, R> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Waiter<G, R> | undefined {
    return this.#first;
  }

  push(waiter: Waiter<G, R>): void {
    waiter.previous = this.#last;
    if (this.#last === undefined) this.#first = waiter;
    else this.#last.next = waiter;
    this.#last = waiter;
    this.#size += 1;
  }

  /** Puts a waiter in front of all others. */
  unshift(waiter: Waiter<G, R>): void {
    waiter.next = this.#first;
    if (this.#first === undefined) this.#last = waiter;
    else this.#first.previous = waiter;
    this.#first = waiter;
    this.#size += 1;
  }

  remove(waiter: Waiter<G, R>): void {
    const { previous, next } = waiter;
    if (previous === undefined && this.#first !== waiter) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    waiter.previous = undefined;
    waiter.next = undefined;
    this.#size -= 1;
  }

  /** The waiters at this moment, in order; safe against leaving while it is read. */
  snapshot(): Waiter<G, R>[] {
    const all: Waiter<G, R>[] = [];
    for (let waiter = this.#first; waiter !== undefined; waiter = waiter.next) all.push(waiter);
    return all;
  }
}
