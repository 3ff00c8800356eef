import { Logger } from '@nestjs/common';
import { printable } from '../errors/printable.text.js';
import { now } from '../timing/monotonic.clock.js';

/** Logs messages that are too frequent to be logged each time. */
export class RateLimitedLog {
  readonly #logger = new Logger('DistributedLock');
  #last = -Infinity;
  #left = 0;

  constructor(
    private readonly level: 'debug' | 'error',
    /** At most one line in this time, in ms; the next line counts the suppressed ones. */
    private readonly interval = 1000,
  ) {}

  /** @param sentence without a full stop; called only for a line that is not suppressed */
  log(sentence: () => string): void {
    if (now() - this.#last < this.interval) {
      this.#left += 1;
      return;
    }
    const text = printable(sentence());
    this.#logger[this.level](this.#left === 0 ? `${text}.` : `${text} (and ${this.#left} more before it).`);
    this.#last = now();
    this.#left = 0;
  }
}
