import { LONGEST_YIELD, type Yield } from '../acquire/yield.policy.js';
import type { LockSettings } from '../contracts/settings.js';
import { now } from '../timing/monotonic.clock.js';
import { HandoffPolicy } from './handoff.policy.js';

/** How long other processes go first after a release, in ms; it doubles while they are too slow to take the lock. */
const YIELD_PAUSE = { first: 5, longest: LONGEST_YIELD };

/**
 * The same where a process of the queue was notified of its turn, which no other one can take. This process asks only to have a place. A
 * request before the other one has come would delay that one; after its release, no message would wake this one. So the pause becomes shorter
 * while the other process has already released the lock when this one asks.
 */
const TURN_PAUSE = { shortest: 1, longest: 5, growth: 1.25 };

/** Fairness between the processes that wait for one lock, as this process sees it. Created with the first waiter. */
export class ProcessFairness {
  readonly handoff: HandoffPolicy;
  /** What the last release has left to others. */
  #currentYield: Yield | undefined;
  #pause = YIELD_PAUSE.first;
  #turnPause = TURN_PAUSE.longest;

  constructor({ handOver }: Pick<LockSettings, 'handOver'>) {
    this.handoff = new HandoffPolicy(handOver);
  }

  /** How long others go first after this release, in ms. @param isTurn whether it has notified a process of the queue of its turn */
  pauseAfter(isTurn: boolean): number {
    return isTurn ? this.#turnPause : this.#pause;
  }

  /** What is left to others at this moment. */
  get currentYield(): Yield | undefined {
    return this.#currentYield !== undefined && now() < this.#currentYield.until
      ? this.#currentYield
      : undefined;
  }

  yieldTo(next: Yield): void {
    this.#currentYield = next;
  }

  /** Another one had the lock when this process requested it. */
  otherAcquired(): void {
    this.#pause = YIELD_PAUSE.first;
    if (this.#currentYield?.isTurn !== true) return;
    this.#currentYield = undefined;
    this.#turnPause = Math.min(this.#turnPause * TURN_PAUSE.growth, TURN_PAUSE.longest);
  }

  /**
   * This process acquired the lock. Other processes that were let go first were too slow: they get more time after the next release. One
   * whose turn it was is done: it gets less, if this process has asked at once.
   */
  granted(): void {
    const current = this.#currentYield;
    if (current === undefined) return;
    this.#currentYield = undefined;
    if (!current.isTurn) this.#pause = Math.min(this.#pause * 2, YIELD_PAUSE.longest);
    else if (now() < current.until + LONGEST_YIELD)
      this.#turnPause = Math.max(this.#turnPause / 2, TURN_PAUSE.shortest);
  }
}
