import { LONGEST_YIELD, type Yield } from '../acquire/yield.policy.js';
import type { LockSettings } from '../contracts/settings.js';
import { now } from '../timing/monotonic.clock.js';
import { HandoffPolicy } from './handoff.policy.js';

/** How long other processes go first after a release, in ms; it doubles while they are too slow to take the lock. */
const YIELD_PAUSE = { first: 5, longest: LONGEST_YIELD };

/** Fairness between the processes that wait for one lock, as this process sees it. Created with the first waiter. */
export class ProcessFairness {
  readonly handoff: HandoffPolicy;
  /** What the last release has left to others. */
  #currentYield: Yield | undefined;
  #pause = YIELD_PAUSE.first;

  constructor({ handOver }: Pick<LockSettings, 'handOver'>) {
    this.handoff = new HandoffPolicy(handOver);
  }

  /** How long others go first after the next release, in ms. */
  get pause(): number {
    return this.#pause;
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
  }

  /** This process acquired the lock. Other processes that were let go first were too slow: they get more time after the next release. */
  granted(): void {
    if (this.#currentYield === undefined) return;
    this.#currentYield = undefined;
    this.#pause = Math.min(this.#pause * 2, YIELD_PAUSE.longest);
  }
}
