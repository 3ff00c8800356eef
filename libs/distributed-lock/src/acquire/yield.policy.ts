import { now } from '../timing/monotonic.clock.js';
import type { WakeSignal } from './wake.signal.js';

/** The longest that a lock may stay free because another process does not take it, in ms. */
export const LONGEST_YIELD = 40;

/** A pause after a release, in which other processes may acquire the lock. */
export interface Yield {
  /** The monotonic instant until which this process sends no request after the release. */
  readonly until: number;
  /** How long this process sends no request after another process has released the lock, in ms; longer if it held the lock longer, up to {@link LONGEST_YIELD}. */
  readonly pause: number;
  /** The count of messages at which each notified process has had the lock once. */
  readonly untilMessage: number;
  /** Whether the release has notified a process of the queue that it is its turn. */
  readonly isTurn: boolean;
}

/**
 * Lets other processes go first: each process that was notified of a release gets the lock once before this process competes again.
 * Otherwise the same few processes win every time. A process that does not take the lock costs a pause.
 */
export class YieldPolicy {
  #current: Yield | undefined;
  #messages = 0;
  #releasedAt = 0;
  /** The time between the last two messages, in ms: how long another process held the lock. */
  #interval = 0;
  /** The number of messages before the last attempt. */
  #messagesAtAttempt = 0;

  /** The number of messages so far. */
  get messages(): number {
    return this.#messages;
  }

  /** A message announced a release. */
  released(): void {
    const at = now();
    this.#interval = at - this.#releasedAt;
    this.#releasedAt = at;
    this.#messages += 1;
  }

  begin(next: Yield): void {
    this.#current = next;
  }

  /** Nothing is left to others any more: it is this process' turn. */
  end(): void {
    this.#current = undefined;
  }

  get isYielding(): boolean {
    return this.#current !== undefined;
  }

  /** An attempt is made now. */
  requested(): void {
    this.#messagesAtAttempt = this.#messages;
  }

  /** Resolves when an attempt may be made. @param sleeper is woken by messages */
  async pause(sleeper: WakeSignal): Promise<void> {
    if (this.#current === undefined) return;
    const { until, pause, untilMessage } = this.#current;
    let messagesSeen = this.#messagesAtAttempt;
    let end = until;
    while (this.isYielding && this.#messages < untilMessage) {
      if (this.#messages > messagesSeen) end = this.#releasedAt + this.#pauseAfterMessage(pause);
      messagesSeen = this.#messages;
      const left = end - now();
      if (left <= 0) return;
      await sleeper.sleep(left);
    }
    this.end();
  }

  /** How long the next of the others may take until it has the lock, and has released it. */
  #pauseAfterMessage(pause: number): number {
    return Math.max(pause, Math.min(this.#interval * 1.25, LONGEST_YIELD));
  }
}
