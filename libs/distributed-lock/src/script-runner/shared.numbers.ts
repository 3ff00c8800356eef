import type { Sending } from './sending.js';

/** The sending of operations whose numbers are sent once per call. Most have the same numbers as those before: then nothing is made anew. */
export class SharedNumbers {
  #last: readonly number[] = [];
  #sending: Sending;

  constructor(private readonly base: Sending) {
    this.#sending = base;
  }

  of(...numbers: readonly number[]): Sending {
    let isNew = this.#sending === this.base;
    // A loop: a function for each number would take longer than all else that is done here.
    for (let at = 0; at < numbers.length; at += 1) isNew ||= numbers[at] !== this.#last[at];
    if (isNew) {
      this.#last = numbers;
      this.#sending = { ...this.base, shared: numbers.join(' ') };
    }
    return this.#sending;
  }
}
