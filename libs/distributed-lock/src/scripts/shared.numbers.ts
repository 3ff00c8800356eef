import type { Sending } from './sending.js';

/** The sending of operations whose numbers are sent once per call. Most have the same numbers as those before: then nothing is made anew. */
export class SharedNumbers {
  #last: readonly number[] = [];
  #sending: Sending;

  constructor(private readonly base: Sending) {
    this.#sending = base;
  }

  of(...numbers: readonly number[]): Sending {
    if (this.#sending === this.base || numbers.some((number, index) => number !== this.#last[index])) {
      this.#last = numbers;
      this.#sending = { ...this.base, shared: numbers.join(' ') };
    }
    return this.#sending;
  }
}
