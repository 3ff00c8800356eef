import { AsyncLocalStorage } from 'node:async_hooks';
import { machine } from '../timing/machine.js';

/** Answers in a row before the event loop gets a turn: whoever waits for a timer is not to wait for ever. */
const IN_A_ROW = 100;

/**
 * Runs things a little later, in their order: in a microtask, which fake timers do not hold up. Outside of the async context of
 * whoever asks first, which is not that of the others.
 */
export class TurnQueue {
  readonly #outside = AsyncLocalStorage.snapshot();
  #waiting: (() => void)[] = [];
  #inARow = 0;
  #isSet = false;

  readonly later = (run: () => void): void => {
    this.#waiting.push(run);
    if (!this.#isSet) this.#outside(() => this.#set());
  };

  #set(): void {
    this.#isSet = true;
    if (this.#inARow === 0) machine.own.setImmediate(() => (this.#inARow = 0));
    this.#inARow += 1;
    if (this.#inARow < IN_A_ROW) machine.own.queueMicrotask(() => this.#run());
    else machine.own.setImmediate(() => this.#run());
  }

  #run(): void {
    this.#isSet = false;
    for (const run of this.#waiting.splice(0)) run();
  }
}
