import { Logger } from '@nestjs/common';
import { now } from '../timing/monotonic.clock.js';

/** At most one line in this time, in ms; the next one says how many were left out. */
const INTERVAL = 1000;

/** Tells Nest's logger what happens too often to be told each time. */
export class RateLimitedLog {
  readonly #logger = new Logger('DistributedLock');
  #last = -INTERVAL;
  #left = 0;

  constructor(private readonly level: 'debug' | 'error') {}

  /** @param sentence without a full stop; made only for a line that is not left out */
  tell(sentence: () => string): void {
    if (now() - this.#last < INTERVAL) {
      this.#left += 1;
      return;
    }
    this.#logger[this.level](
      this.#left === 0 ? `${sentence()}.` : `${sentence()} (and ${this.#left} more before it).`,
    );
    this.#last = now();
    this.#left = 0;
  }
}
