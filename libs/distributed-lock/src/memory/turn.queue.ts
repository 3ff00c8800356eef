import { AsyncLocalStorage } from 'node:async_hooks';

/** Answers in a row before the event loop gets a turn: whoever waits for a timer is not to wait for ever. */
const IN_A_ROW = 100;

/** Node's own, whatever a test puts in their place while it fakes the time. */
const { setImmediate: nodeSetImmediate, queueMicrotask: nodeQueueMicrotask } = globalThis;

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
    if (this.#inARow === 0) nodeSetImmediate(() => (this.#inARow = 0));
    this.#inARow += 1;
    if (this.#inARow < IN_A_ROW) nodeQueueMicrotask(() => this.#run());
    else nodeSetImmediate(() => this.#run());
  }

  #run(): void {
    this.#isSet = false;
    for (const run of this.#waiting.splice(0)) run();
  }
}
